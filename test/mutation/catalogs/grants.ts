import { HOUSE, IS_HOUSE_ROLE, type Kinds } from './house.ts';

/** Every database object that can have grants, with the name by which a GRANT statement calls the object. */
const HOLDERS = `(
    select 'pg_class ' || c.oid as covers, c.relowner as owner,
        case c.relkind when 'S' then 'sequence ' else '' end || c.oid::regclass as name, '' as columns,
        c.oid::regclass::text as object, coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner)) as acl,
        case c.relkind when 'S' then array['SELECT', 'USAGE', 'UPDATE']
            else array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']
                || case when current_setting('server_version_num')::integer >= 170000 then array['MAINTAIN'] else '{}' end
        end as privileges
    from pg_class as c where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and c.relnamespace in ${HOUSE}
    union all
    select 'pg_attribute ' || a.attrelid || ' ' || a.attnum, c.relowner, a.attrelid::regclass::text,
        format(' (%I)', a.attname), format('%s of %s', a.attname, c.oid::regclass), a.attacl,
        array['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']
    from pg_attribute as a join pg_class as c on c.oid = a.attrelid
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped and c.relnamespace in ${HOUSE}
    union all
    select 'pg_proc ' || f.oid, f.proowner, 'routine ' || f.oid::regprocedure, '', f.oid::regprocedure::text,
        coalesce(f.proacl, acldefault('f', f.proowner)), array['EXECUTE']
    from pg_proc as f where f.pronamespace in ${HOUSE}
    union all
    select 'pg_namespace ' || n.oid, n.nspowner, 'schema ' || n.nspname, '', n.nspname,
        coalesce(n.nspacl, acldefault('n', n.nspowner)), array['USAGE', 'CREATE']
    from pg_namespace as n where n.oid in ${HOUSE}
    union all
    select 'pg_database ' || d.oid, d.datdba, format('database %I', d.datname), '', 'the database',
        coalesce(d.datacl, acldefault('d', d.datdba)), array['CREATE', 'CONNECT', 'TEMPORARY']
    from pg_database as d where d.datname = current_database()
) as h`;

const grantee = (role: string): string => `case ${role} when 0 then 'public' else ${role}::regrole::text end`;

const held = (sql: string, where: string): string => `
  select format('%s on %s to %s', x.privilege_type, h.object, ${grantee('x.grantee')}) as object, h.covers,
      ${sql} as sql
  from ${HOLDERS} cross join lateral aclexplode(h.acl) as x
  where ${where}`;

const REVOKED = `format('revoke %s%s on %s from %s cascade', x.privilege_type, h.columns, h.name, ${grantee('x.grantee')})`;

/** SQL that adds privileges: for each role and each object, the privileges that the role does not have there yet. */
const added = (how: string, who: string, where: string): string => `
  select format('%s on %s to %s', p.privilege, h.object, r.rolname) as object, h.covers,
      format('grant %s%s on %s to %s${how}', p.privilege, h.columns, h.name, r.rolname) as sql
  from ${HOLDERS}
  cross join (${who}) as r
  cross join lateral unnest(h.privileges) with ordinality as p (privilege, position)
  where not exists (
      select from aclexplode(h.acl) as x where x.grantee = r.oid and x.privilege_type = p.privilege
  ) and r.oid <> h.owner and ${where}`;

const EVERYBODY = `select 0::oid as oid, 'public'::name as rolname, 0::bigint as position`;
const ROLES = `select r.oid, r.rolname, row_number() over (order by r.rolname) as position from pg_roles as r where ${IS_HOUSE_ROLE}`;
const STRANGER = `select r.oid, r.rolname, 1 as position from pg_roles as r where r.rolname = 'pg_monitor'`;

const IS_COLUMN = `h.columns <> ''`;
/**
 * An SQL condition that chooses one privilege for each object and role by a hash. Over all objects, each privilege is
 * chosen for some of them.
 */
const TURN = `(hashtext(h.object) & 1023) % cardinality(h.privileges) = (r.position + p.position) % cardinality(h.privileges)`;

const DEFAULTS = `
  select r.rolname::name as rolname, t.what, t.privilege
  from pg_roles as r
  cross join (
      values ('tables', 'SELECT'), ('sequences', 'USAGE'), ('functions', 'EXECUTE'), ('types', 'USAGE'), ('schemas', 'USAGE')
  ) as t (what, privilege)
  where r.rolname in ('taxclaims_owner', 'taxclaims_definer')`;

/**
 * A test makes each of these changes: it revokes a right, adds a right or adds default privileges. The command db:audit
 * must report each change.
 */
export const GRANTS: Kinds = {
  'right revoked': held(REVOKED, `not (${IS_COLUMN}) and x.grantee <> h.owner`),
  'right of an owner revoked': held(REVOKED, `not (${IS_COLUMN}) and x.grantee = h.owner`),
  'right to a column revoked': held(REVOKED, IS_COLUMN),
  'right that may be passed on': held(
    `format('grant %s%s on %s to %s with grant option', x.privilege_type, h.columns, h.name, ${grantee('x.grantee')})`,
    'x.grantee not in (0, h.owner) and not x.is_grantable',
  ),
  'right added for everybody': added('', EVERYBODY, `not (${IS_COLUMN})`),
  'right added for a role': added('', ROLES, `not (${IS_COLUMN}) and ${TURN}`),
  'right added for a role that is not the house’s': added('', STRANGER, `not (${IS_COLUMN}) and p.position = 1`),
  'right to a column added for everybody': added('', EVERYBODY, `${IS_COLUMN} and ${TURN}`),
  'right to a column added for a role': added(
    '',
    ROLES,
    `${IS_COLUMN} and ${TURN} and hashtext(h.object) & 7 = r.position & 7`,
  ),
  'default privileges added': `
    select format('%s of %s', d.what, d.rolname) as object, 'pg_default_acl' as covers,
        format('alter default privileges for role %I grant %s on %s to pg_monitor', d.rolname, d.privilege, d.what) as sql
    from (${DEFAULTS}) as d`,
  'default privileges of a schema added': `
    select format('%s of %s in %s', d.what, d.rolname, n.nspname) as object, 'pg_namespace ' || n.oid as covers,
        format('alter default privileges for role %I in schema %I grant %s on %s to public', d.rolname, n.nspname,
            d.privilege, d.what) as sql
    from (${DEFAULTS}) as d cross join pg_namespace as n
    where n.oid in ${HOUSE} and d.what <> 'schemas'`,
  'default privileges removed': `
    select format('%s of %s', d.defaclobjtype, d.defaclrole::regrole) as object, 'pg_default_acl ' || d.oid as covers,
        format('delete from pg_catalog.pg_default_acl where oid = %s', d.oid) as sql
    from pg_default_acl as d`,
  'default privileges changed': `
    select format('%s of %s', d.defaclobjtype, d.defaclrole::regrole) as object, 'pg_default_acl ' || d.oid as covers,
        format('update pg_catalog.pg_default_acl set defaclacl = defaclacl || pg_catalog.makeaclitem(%s, %s, ''EXECUTE'', true) where oid = %s',
            '''taxclaims_client''::regrole', d.defaclrole, d.oid) as sql
    from pg_default_acl as d`,
};
