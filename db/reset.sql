-- Drops every policy, trigger and rule on the tables of the current role, enables row-level security on these tables,
-- and revokes every right of other roles to the objects of the current role. The other SQL files then create the
-- policies, triggers and rights again in the same transaction.

do $reset$
declare
    own_role constant oid := (select oid from pg_catalog.pg_roles where rolname = current_user);
    command text;
begin
    -- The deploy drops the views and functions of schema audit, because the new release may lack one of them or give a
    -- view other columns.
    for command in
        select pg_catalog.unnest(stale.commands)
        from (
            -- The query collects all drop commands before the first one runs, because it could not read the name of an
            -- object that `cascade` has already dropped.
            select pg_catalog.array_agg(audit_object.command) as commands
            from (
                select pg_catalog.format('drop view if exists %s cascade', c.oid::regclass) as command
                from pg_catalog.pg_class as c
                join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
                where n.nspname = 'audit' and n.nspowner = own_role and c.relkind = 'v'
                union all
                select pg_catalog.format('drop routine if exists %s cascade', f.oid::regprocedure)
                from pg_catalog.pg_proc as f
                join pg_catalog.pg_namespace as n on n.oid = f.pronamespace
                where n.nspname = 'audit' and n.nspowner = own_role
            ) as audit_object
        ) as stale
    loop
        execute command;
    end loop;

    for command in
        select pg_catalog.format('drop policy %I on %s', p.polname, p.polrelid::regclass)
        from pg_catalog.pg_policy as p
        join pg_catalog.pg_class as c on c.oid = p.polrelid
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        where c.relowner = own_role
            -- The query leaves out app.migrations, whose policy the first migration created, and app.deploy_lock, which
            -- the running deploy has locked.
            and (n.nspname, c.relname) not in (('app', 'migrations'), ('app', 'deploy_lock'))
        union all
        select pg_catalog.format('drop trigger %I on %s', t.tgname, t.tgrelid::regclass)
        from pg_catalog.pg_trigger as t
        join pg_catalog.pg_class as c on c.oid = t.tgrelid
        where c.relowner = own_role and not t.tgisinternal
        union all
        select pg_catalog.format('drop rule %I on %s', w.rulename, w.ev_class::regclass)
        from pg_catalog.pg_rewrite as w
        join pg_catalog.pg_class as c on c.oid = w.ev_class
        where c.relowner = own_role and not (w.rulename = '_RETURN' and c.relkind in ('v', 'm'))
        union all
        select pg_catalog.format('alter table %s enable row level security, force row level security', c.oid::regclass)
        from pg_catalog.pg_class as c
        where c.relowner = own_role and c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity)
        union all
        select distinct pg_catalog.format(
            'revoke all on %s from %s cascade',
            owned.object,
            case acl_entry.grantee when 0 then 'public' else acl_entry.grantee::regrole::text end
        )
        from (
            select c.oid::regclass::text, c.relacl
            from pg_catalog.pg_class as c
            where c.relowner = own_role and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
            union all
            select c.oid::regclass::text, a.attacl
            from pg_catalog.pg_attribute as a
            join pg_catalog.pg_class as c on c.oid = a.attrelid and c.relowner = own_role and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
            union all
            select 'routine ' || f.oid::regprocedure, coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner))
            from pg_catalog.pg_proc as f
            where f.proowner = own_role
            union all
            select pg_catalog.format('schema %I', n.nspname), n.nspacl
            from pg_catalog.pg_namespace as n
            where n.nspowner = own_role
        ) as owned (object, acl)
        cross join lateral pg_catalog.aclexplode(owned.acl) as acl_entry
        where acl_entry.grantee <> own_role
    loop
        execute command;
    end loop;
end
$reset$;
