const HOUSE = `('public', 'app', 'reporting', 'audit')`;

const switched = (off: string, on: string): string => `
  select t.name as object, array[split_part(t.name, '.', 2), 'row-level security', 'enabled', 'forced'] as hints,
      format('alter table %s ${off} row level security', t.name) as sql,
      format('alter table %s ${on} row level security', t.name) as undo
  from audit.house_tables as t`;

/**
 * A test makes each of these unsafe changes to database objects and roles. A check of the policies, or db:audit, must
 * notice each change.
 */
export const OBJECTS: Readonly<Record<string, string>> = {
  'row-level security off': switched('disable', 'enable'),
  'row-level security not forced': switched('no force', 'force'),
  'view reads as its owner': `
    select c.oid::regclass::text as object, array[c.relname::text, c.relnamespace::regnamespace || ' view'] as hints,
        format('alter view %s reset (security_invoker)', c.oid::regclass) as sql,
        format('alter view %s set (%s)', c.oid::regclass, option) as undo
    from pg_class as c cross join lateral unnest(c.reloptions) as option
    where c.relkind = 'v' and c.relnamespace::regnamespace::text in ${HOUSE} and option like 'security_invoker=%'`,
  'search_path of a function not pinned': `
    select oid::regprocedure::text as object, array[proname::text, 'function'] as hints,
        format('alter function %s reset search_path', oid::regprocedure) as sql,
        -- Sets all settings of the function again, because their order is part of the declared state.
        format('alter function %s reset all', oid::regprocedure) || (
            select string_agg(
                format('; alter function %s set %I to %L', oid::regprocedure, split_part(setting, '=', 1),
                    replace(substr(setting, strpos(setting, '=') + 1), '""', '')),
                '' order by place
            )
            from unnest(proconfig) with ordinality as s (setting, place)
        ) as undo
    from pg_proc
    where pronamespace::regnamespace::text in ${HOUSE} and array_to_string(proconfig, ',') like '%search_path=%'`,
  'function runs as its owner': `
    select oid::regprocedure::text as object, array[proname::text, 'function'] as hints,
        format('alter function %s security definer', oid::regprocedure) as sql,
        format('alter function %s security invoker', oid::regprocedure) as undo
    from pg_proc where pronamespace::regnamespace::text in ${HOUSE} and not prosecdef`,
  'trigger disabled': `
    select format('%I on %s', t.tgname, t.tgrelid::regclass) as object, array[c.relname::text] as hints,
        format('alter table %s disable trigger %I', t.tgrelid::regclass, t.tgname) as sql,
        format(
          'alter table %s enable %s trigger %I',
          t.tgrelid::regclass, case t.tgenabled when 'A' then 'always' else '' end, t.tgname
        ) as undo
    from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace::regnamespace::text in ${HOUSE}`,
  'membership added': `
    select format('%s in %s', m.name, g.name) as object,
        array[replace(m.name::text, 'taxclaims_', ''), 'reaches', 'becomes'] as hints,
        format('grant %s to %s', g.name, m.name) as sql,
        format('revoke %s from %s', g.name, m.name) as undo
    from audit.house_roles as g cross join audit.house_roles as m
    where not pg_has_role(m.oid, g.oid, 'MEMBER') and not pg_has_role(g.oid, m.oid, 'MEMBER')`,
  'membership revoked': `
    select format('%s in %s', m.name, g.name) as object, array[replace(g.name::text, 'taxclaims_', '')] as hints,
        format('revoke %s from %s', g.name, m.name) as sql,
        format('grant %s to %s%s', g.name, m.name, case
            -- In Postgres 15 a membership has only ADMIN OPTION.
            when said ? 'set_option' then
                format(' with admin %s, inherit %s, set %s',
                    said ->> 'admin_option', said ->> 'inherit_option', said ->> 'set_option')
            when (said ->> 'admin_option')::boolean then ' with admin option'
        end) as undo
    from audit.house_roles as g cross join audit.house_roles as m
    join pg_auth_members as a on a.roleid = g.oid and a.member = m.oid
    cross join to_jsonb(a) as said
    -- Memberships on which another membership depends are left out, because catalogs/roles.ts revokes them.
    where not exists (select from pg_auth_members as d where d.roleid = a.roleid and d.grantor = a.member)`,
};
