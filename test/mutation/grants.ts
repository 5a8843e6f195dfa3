const HOUSE = `('public', 'app', 'reporting', 'audit')`;

/**
 * The roles of callers, logins and auditors. A test revokes each of their rights, and adds rights that they must not
 * have.
 */
const ROLES = `(select * from audit.house_roles as h where h.purpose <> 'back') as r`;

const RELATION = `format('%I.%I', c.relnamespace::regnamespace::text, c.relname)`;

/** SQL that restores grants on a table’s columns. REVOKE on the whole table removes them too. */
const COLUMNS_AGAIN = `coalesce(
    (
        select string_agg(
            format('; grant %s (%I) on %s to %s', x.privilege_type, a.attname, ${RELATION}, x.grantee::regrole), ''
        )
        from pg_attribute as a
        cross join lateral aclexplode(a.attacl) as x
        where a.attrelid = c.oid and x.grantee = r.oid and x.privilege_type = wanted.privilege
    ),
    ''
)`;

const VERB = `case x.privilege_type when 'SELECT' then 'read' when 'INSERT' then 'create'
    when 'UPDATE' then 'update' when 'DELETE' then 'delete' else 'truncate' end`;

const HELD = `array[c.relname::text, replace(x.grantee::regrole::text, 'taxclaims_', ''), ${VERB}] as hints`;

/**
 * A test makes each of these changes: it revokes a right of a role, or adds a right that no role should have. A check
 * of the policies, or the audit, must notice each change.
 */
export const GRANTS: Readonly<Record<string, string>> = {
  'table grant revoked': `
    select format('%s on %s to %s', x.privilege_type, ${RELATION}, x.grantee::regrole) as object, ${HELD},
        format('revoke %s on %s from %s', x.privilege_type, ${RELATION}, x.grantee::regrole) as sql,
        format('grant %s on %s to %s', x.privilege_type, ${RELATION}, x.grantee::regrole) as undo
    from pg_class as c cross join lateral aclexplode(c.relacl) as x
    where c.relkind in ('r', 'v') and c.relnamespace::regnamespace::text in ${HOUSE} and x.grantee <> c.relowner`,
  'column grant revoked': `
    select format('%s (%s) on %s to %s', x.privilege_type, a.attname, ${RELATION}, x.grantee::regrole) as object,
        array[c.relname::text, 'columns of ' || c.relname] as hints,
        format('revoke %s (%I) on %s from %s', x.privilege_type, a.attname, ${RELATION}, x.grantee::regrole) as sql,
        format('grant %s (%I) on %s to %s', x.privilege_type, a.attname, ${RELATION}, x.grantee::regrole) as undo
    from pg_attribute as a join pg_class as c on c.oid = a.attrelid cross join lateral aclexplode(a.attacl) as x
    where c.relnamespace::regnamespace::text in ${HOUSE}`,
  'table right added': `
    select format('%s on %s to %s', wanted.privilege, ${RELATION}, r.name) as object,
        array[c.relname::text, replace(r.name::text, 'taxclaims_', ''), 'columns of ' || c.relname, wanted.verb] as hints,
        format('grant %s on %s to %s', wanted.privilege, ${RELATION}, r.name) as sql,
        format('revoke %s on %s from %s', wanted.privilege, ${RELATION}, r.name) || ${COLUMNS_AGAIN} as undo
    from pg_class as c
    cross join ${ROLES}
    cross join (
        values ('SELECT', 'read'), ('INSERT', 'create'), ('UPDATE', 'update'), ('DELETE', 'delete'), ('TRUNCATE', 'truncate')
    ) as wanted (privilege, verb)
    where c.relkind in ('r', 'p') and c.relnamespace::regnamespace::text in ${HOUSE}
        and not has_table_privilege(r.oid, c.oid, wanted.privilege)`,
  'table right given to everybody': `
    select format('%s on %s', wanted.privilege, ${RELATION}) as object,
        array[c.relname::text, 'columns of ' || c.relname] as hints,
        format('grant %s on %s to public', wanted.privilege, ${RELATION}) as sql,
        format('revoke %s on %s from public', wanted.privilege, ${RELATION}) as undo
    from pg_class as c
    cross join (values ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) as wanted (privilege)
    where c.relkind in ('r', 'v') and c.relnamespace::regnamespace::text in ${HOUSE}`,
  'function right revoked': `
    select format('%s of %s', f.oid::regprocedure, x.grantee::regrole) as object, array[f.proname::text, 'function'] as hints,
        format('revoke execute on function %s from %s', f.oid::regprocedure, x.grantee::regrole) as sql,
        format('grant execute on function %s to %s', f.oid::regprocedure, x.grantee::regrole) as undo
    from pg_proc as f cross join lateral aclexplode(f.proacl) as x
    where f.pronamespace::regnamespace::text in ${HOUSE} and x.grantee <> f.proowner`,
  'function opened to everybody': `
    select oid::regprocedure::text as object, array[proname::text, 'function'] as hints,
        format('grant execute on function %s to public', oid::regprocedure) as sql,
        format('revoke execute on function %s from public', oid::regprocedure) as undo
    from pg_proc where pronamespace::regnamespace::text in ${HOUSE}`,
  'function opened to reporting': `
    select oid::regprocedure::text as object, array[proname::text, 'function'] as hints,
        format('grant execute on function %s to taxclaims_reporting', oid::regprocedure) as sql,
        format('revoke execute on function %s from taxclaims_reporting', oid::regprocedure) as undo
    from pg_proc
    where pronamespace::regnamespace::text in ${HOUSE}
        and not has_function_privilege('taxclaims_reporting', oid, 'EXECUTE')`,
  'schema right added': `
    select format('%s on %s to %s', wanted.privilege, s.name, r.name) as object,
        array[s.name::text, replace(r.name::text, 'taxclaims_', '')] as hints,
        format('grant %s on schema %I to %s', wanted.privilege, s.name, r.name) as sql,
        format('revoke %s on schema %I from %s', wanted.privilege, s.name, r.name) as undo
    from audit.house_schemas as s
    cross join ${ROLES}
    cross join (values ('USAGE'), ('CREATE')) as wanted (privilege)
    where not has_schema_privilege(r.oid, s.oid, wanted.privilege)`,
  'schema right revoked': `
    select format('%s on %s to %s', x.privilege_type, n.nspname, x.grantee::regrole) as object,
        array[n.nspname::text, replace(x.grantee::regrole::text, 'taxclaims_', '')] as hints,
        format('revoke %s on schema %I from %s', x.privilege_type, n.nspname, x.grantee::regrole) as sql,
        format('grant %s on schema %I to %s', x.privilege_type, n.nspname, x.grantee::regrole) as undo
    from pg_namespace as n cross join lateral aclexplode(n.nspacl) as x
    where n.nspname in ${HOUSE} and x.grantee not in (0, n.nspowner)`,
};
