import { hasColumn, IS_HOUSE_ROLE, isHouseRole, type Kinds, sharedLabel, statement } from './house.ts';

const role = (sql: string, where = 'true'): string => `
  select r.rolname::text as object, 'pg_authid ' || r.oid as covers, ${sql} as sql
  from pg_authid as r where ${IS_HOUSE_ROLE} and ${where}`;

const altered = (what: string, where?: string): string => role(statement(`alter role %I ${what}`, 'r.rolname'), where);

const flag = (column: string, name: string): string =>
  role(statement(`alter role %I %s${name}`, 'r.rolname', `case when r.${column} then 'no' else '' end`));

const membership = (sql: string, where = 'true'): string => `
  select format('%s in %s', m.member::regrole, m.roleid::regrole) as object,
      'pg_auth_members ' || m.member || ' ' || m.roleid as covers, ${sql} as sql
  from pg_auth_members as m join pg_authid as r on r.oid = m.member
  where ${IS_HOUSE_ROLE} and ${where}`;

const changed = (assignment: string, where?: string): string =>
  membership(
    `format('update pg_catalog.pg_auth_members set ${assignment} where (roleid, member) = (%s, %s)', m.roleid, m.member)`,
    where,
  );

const SINCE_16 = hasColumn('pg_auth_members', 'inherit_option');

const newMember = (options: string, groups: string, where = 'true'): string => `
  select format('%s in %s', r.rolname, g.rolname) as object, 'pg_authid ' || r.oid as covers,
      format('grant %I to %I${options}', g.rolname, r.rolname) as sql
  from pg_authid as r cross join (select g.* from pg_authid as g where ${groups}) as g
  where ${IS_HOUSE_ROLE} and g.oid <> r.oid and not pg_has_role(g.oid, r.oid, 'MEMBER')
      and not exists (select from pg_auth_members as m where m.roleid = g.oid and m.member = r.oid) and ${where}`;

const IN_HOUSE = isHouseRole('g');
const BUILT_IN = String.raw`g.rolname like 'pg\_%' and g.rolname <> 'pg_database_owner'`;

/** SQL that creates a login with the right to connect. The audit ignores a login that cannot enter the database. */
const LOGIN = 'create role added_# login in role taxclaims_reporting';

/** SQL that creates a login with the right to connect, as a member of another role. */
const newLogin = (how: string, groups: string): string => `
  select g.rolname::text as object, 'pg_authid ' || g.oid as covers,
      format('${LOGIN}; grant %I to added_#${how}', g.rolname) as sql
  from pg_authid as g where ${groups}`;

const login = (what: string): string => `
  select '${what}' as object, 'pg_authid' as covers, '${LOGIN}; alter role added_# ${what}' as sql`;

/**
 * A test makes each of these changes to the service’s roles, memberships and logins, which all databases of a server
 * share. The command db:audit must report each change.
 */
export const ROLES: Kinds = {
  'role renamed': altered('rename to renamed_#'),
  'role that may log in, or not': flag('rolcanlogin', 'login'),
  'role that is a superuser': flag('rolsuper', 'superuser'),
  'role past row-level security': flag('rolbypassrls', 'bypassrls'),
  'role that makes roles': flag('rolcreaterole', 'createrole'),
  'role that makes databases': flag('rolcreatedb', 'createdb'),
  'role that replicates': flag('rolreplication', 'replication'),
  'role that inherits, or not': flag('rolinherit', 'inherit'),
  'role with a limit of connections': altered('connection limit 3'),
  'role with an end': altered(`valid until '2040-01-01'`),
  'role with a password': altered(`password 'made up'`),
  'security label added to a role': role(sharedLabel('pg_authid', 'r.oid')),
  'membership revoked': membership(statement('revoke %s from %s cascade', 'm.roleid::regrole', 'm.member::regrole')),
  'membership that may be passed on, or not': changed('admin_option = not admin_option'),
  'membership inherited, or not': changed('inherit_option = not inherit_option', SINCE_16),
  'membership to become the role, or not': changed('set_option = not set_option', SINCE_16),
  'membership added': newMember('', IN_HOUSE),
  'membership with admin option added': newMember(' with admin option', IN_HOUSE),
  'membership in one of Postgres’s roles added': newMember('', BUILT_IN),
  'login in a role that is not for logins': newLogin(
    '',
    `${IN_HOUSE}
        and g.rolname not in (
            'taxclaims_api', 'taxclaims_reporting', 'taxclaims_auditor', 'taxclaims_owner'
        )`,
  ),
  'login that may pass on a role': newLogin(' with admin option', IN_HOUSE),
  'login in one of Postgres’s roles': newLogin('', BUILT_IN),
  'login that is privileged': ['superuser', 'bypassrls', 'createrole', 'replication'].map(login).join(' union all '),
};
