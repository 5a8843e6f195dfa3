import type pg from 'pg';
import { runSqlFiles, type SqlFiles } from './sql-files.ts';
import { MigrationError } from './migration-error.ts';

const MAX_LISTED_NAMES = 10;

/** SQL for whether the login can become the role `h`, or grant the role to itself. */
const REACHABLE = `
  case
      when current_setting('server_version_num')::integer < 160000
          then pg_has_role(h.name::name, 'MEMBER') or me.rolcreaterole
      else pg_has_role(h.name::name, 'SET') or pg_has_role(h.name::name, 'MEMBER WITH ADMIN OPTION')
  end`;

const ADMINISTRATOR_QUERY = `
  select
      quote_ident(current_user) as login, quote_ident(d.datname) as database, quote_ident(owner.rolname) as owner,
      owner.rolsuper as by_superuser, me.rolcreaterole as creates_roles, pg_has_role(d.datdba, 'USAGE') as owns,
      array(
          select h.name from house as h where to_regrole(h.name) is null order by h.place
      ) as absent,
      array(
          select h.name from house as h
          where to_regrole(h.name) is not null and h.purpose in ('back', 'request') and not ${REACHABLE}
          order by h.place
      ) as out_of_reach
  from pg_database as d
  join pg_roles as me on me.rolname = current_user and not me.rolsuper
  join pg_roles as owner on owner.oid = d.datdba
  where d.datname = current_database()`;

/** What a login may do for a deploy; names are quoted where SQL needs it. */
interface Administrator {
  readonly login: string;
  readonly database: string;
  readonly owner: string;
  readonly by_superuser: boolean;
  readonly creates_roles: boolean;
  readonly owns: boolean;
  /** The roles of db/house-roles.sql that the server does not have yet. */
  readonly absent: readonly string[];
  /** The roles that the login can neither become nor grant to itself. */
  readonly out_of_reach: readonly string[];
}

/** @throws MigrationError with what the login of DATABASE_ADMIN_URL lacks for a deploy, before the deploy changes anything */
export async function refuseWeakAdministrator(client: pg.Client, files: SqlFiles): Promise<void> {
  await client.query('begin');
  try {
    await runSqlFiles(client, files, ['house-roles.sql']);
    const { rows } = await client.query<Administrator>(
      `with house as (
          select * from jsonb_to_recordset(current_setting('deploy.house_roles')::jsonb) as h (place integer, name text, purpose text)
       ) ${ADMINISTRATOR_QUERY}`,
    );
    const [administrator] = rows;
    if (administrator === undefined) return;
    const lacks = describeLacks(administrator);
    if (lacks.length > 0) throw new MigrationError(`${administrator.login} cannot deploy here: ${lacks.join('; ')}`);
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
}

function describeLacks(administrator: Administrator): string[] {
  const { login, database, owner, by_superuser: bySuperuser, owns, absent, out_of_reach: outOfReach } = administrator;
  const needsCreateRole = absent.length > 0 && !administrator.creates_roles;
  if (needsCreateRole && !owns) {
    return [
      `it has neither CREATEROLE nor the rights of ${owner}, the owner of the database ${database}, and a Postgres ` +
        'where no login can have both (Heroku) cannot run this service',
    ];
  }
  return [
    ...(needsCreateRole
      ? [
          `it needs CREATEROLE, because this deploy creates ${listNames(absent)} ` +
            `(alter role ${login} createrole; or another login in DATABASE_ADMIN_URL)`,
        ]
      : []),
    ...(owns
      ? []
      : [
          `it needs the rights of ${owner}, the owner of the database ${database} (` +
            (bySuperuser
              ? `alter database ${database} owner to ${login}; or a database that this login creates)`
              : `grant ${owner} to ${login}; or let a role that both logins are in own the database)`),
        ]),
    ...(outOfReach.length === 0
      ? []
      : [
          `it can neither become nor grant ${listNames(outOfReach)}: a login that deployed before can grant it these roles ` +
            `(${grantsOf(outOfReach, login)})`,
        ]),
  ];
}

function grantsOf(roles: readonly string[], login: string): string {
  const others = roles.filter((role) => role !== 'taxclaims_owner');
  return [
    ...(others.length < roles.length ? [`grant taxclaims_owner to ${login}`] : []),
    ...(others.length > 0 ? [`grant ${others.join(', ')} to ${login} with inherit false`] : []),
  ].join('; ');
}

/**
 * Returns a sentence for each right that others lose by the first deploy, because the service's database and its schema
 * `public` are for the service's roles alone. The default privileges are those that db/take-back.sql resets.
 */
export async function describeRightsLostByOthers(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ connecting: string[]; in_schema: string[]; by_default: string[] }>(
    `select
        array(
            select r.rolname::text
            from pg_roles as r
            where r.rolcanlogin and not r.rolsuper and r.rolname <> current_user and not pg_has_role(r.oid, d.datdba, 'USAGE')
                and not exists (
                    select from aclexplode(d.datacl) as x
                    where x.privilege_type = 'CONNECT' and x.grantee <> 0 and pg_has_role(r.oid, x.grantee, 'USAGE')
                )
                and has_database_privilege(r.oid, d.oid, 'CONNECT')
                and not exists (
                    select from pg_roles as g where starts_with(g.rolname, 'taxclaims_') and pg_has_role(r.oid, g.oid, 'MEMBER')
                )
            order by 1
        ) as connecting,
        array(
            select distinct x.grantee::regrole::text
            from pg_namespace as n
            cross join lateral aclexplode(n.nspacl) as x
            where n.nspname = 'public' and x.grantee not in (0, n.nspowner, (select oid from pg_roles where rolname = current_user))
                and not starts_with(x.grantee::regrole::text, 'taxclaims_')
            order by 1
        ) as in_schema,
        array(
            select distinct
                format(
                    '%s on new %s of %I', case x.grantee when 0 then 'PUBLIC' else x.grantee::regrole::text end,
                    case a.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' else 'types' end,
                    pg_get_userbyid(a.defaclrole)
                )
            from pg_default_acl as a
            cross join lateral aclexplode(a.defaclacl) as x
            where a.defaclnamespace = 'public'::regnamespace and x.grantee <> a.defaclrole and pg_has_role(a.defaclrole, 'USAGE')
            order by 1
        ) as by_default
     from pg_database as d
     where d.datname = current_database()`,
  );
  const { connecting = [], in_schema: inSchema = [], by_default: byDefault = [] } = rows[0] ?? {};
  const advice = 'if another program uses this database, give the service a database of its own instead';
  return [
    ...(connecting.length === 0
      ? []
      : [`this first deploy revokes CONNECT from PUBLIC, and so from ${listNames(connecting)}: ${advice}`]),
    ...(inSchema.length === 0
      ? []
      : [`this first deploy revokes every right to the schema public from ${listNames(inSchema)}: ${advice}`]),
    ...(byDefault.length === 0
      ? []
      : [
          `this first deploy revokes the default privileges in the schema public of ${listNames(byDefault)}: ${advice}`,
        ]),
  ];
}

/**
 * Returns a sentence for each right that stays although the deploy revoked it: Postgres takes back only what the login
 * itself, or a role of which it has the rights, has granted, and answers REVOKE in any case.
 */
export async function describeRightsThatStay(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ sentence: string }>(
    `select format(
        'a revoke did not take: %s keeps %s on %s, which %I granted; only that role, or the provider, can take it back%s',
        stays.grantee, string_agg(stays.privilege, ', ' order by stays.privilege), stays.object, stays.grantor,
        case when stays.grantee = 'PUBLIC' and stays.object like 'the database%' and bool_or(stays.privilege = 'CONNECT')
            then ', and until then every login of this server can connect' else '' end
     ) as sentence
     from (
         select
             case x.grantee when 0 then 'PUBLIC' else x.grantee::regrole::text end as grantee,
             x.privilege_type as privilege, format('the database %I', d.datname) as object, pg_get_userbyid(x.grantor) as grantor
         from pg_database as d
         cross join lateral aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) as x
         where d.datname = current_database() and x.grantee = 0
         union all
         select
             case x.grantee when 0 then 'PUBLIC' else x.grantee::regrole::text end,
             x.privilege_type, 'the schema public', pg_get_userbyid(x.grantor)
         from pg_namespace as n
         cross join lateral aclexplode(n.nspacl) as x
         where n.nspname = 'public' and x.grantee <> n.nspowner
             and not (x.grantee <> 0 and starts_with(x.grantee::regrole::text, 'taxclaims_'))
     ) as stays
     group by stays.grantee, stays.object, stays.grantor
     union all
     select format(
         'a revoke did not take: %s functions of Postgres stay open to PUBLIC, which only a superuser can close (finding server_function_open)',
         count(*)
     )
     from audit.functions_to_close as f
     where has_function_privilege('public', f.oid, 'EXECUTE')
     having count(*) > 0`,
  );
  return rows.map(({ sentence }) => sentence);
}

function listNames(names: readonly string[]): string {
  const more = names.length - MAX_LISTED_NAMES;
  return [...names.slice(0, MAX_LISTED_NAMES), ...(more > 0 ? [`${String(more)} more`] : [])].join(', ');
}
