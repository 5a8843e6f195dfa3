import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../src/db/deploy/migrate.ts';
import { connected, createTestDatabase, type TestDatabase, withAdmin } from '../support/database.ts';
import { hearing } from '../support/hearing.ts';
import { rolesSql } from '../support/roles-sql.ts';

const DRIFT = 'select kind, object, change from audit.drift order by kind, object';
const AS_OWNER = (sql: string): string => `set role taxclaims_owner; ${sql}; reset role`;

interface ByHand {
  readonly what: string;
  readonly make: string;
  /** Gives a row as long as it is there. */
  readonly there: string;
}

const routine = (name: string): string => `select from pg_proc where proname = '${name}'`;
const relation = (name: string): string => `select from pg_class where relname = '${name}'`;

const TAKEN_BACK: readonly ByHand[] = [
  {
    what: 'a trigger that copies every claim elsewhere',
    make: `create schema elsewhere;
      create table elsewhere.copies (claim jsonb);
      create function elsewhere.copy() returns trigger language plpgsql security definer
        as 'begin insert into elsewhere.copies values (to_jsonb(new)); return new; end';
      create trigger copy after insert or update on public.reclamations for each row execute function elsewhere.copy()`,
    there: `select from pg_trigger where tgname = 'copy'`,
  },
  {
    what: 'a rule that switches the audit log off',
    make: 'create rule nothing as on insert to public.audit_logs do instead nothing',
    there: `select from pg_rewrite where rulename = 'nothing'`,
  },
  {
    what: 'a trigger of the house that was switched off',
    make: 'alter table public.sites disable trigger sites_audit_write',
    there: `select from pg_trigger where tgname = 'sites_audit_write' and tgenabled <> 'O'`,
  },
  {
    what: 'a foreign key that was switched off',
    make: 'alter table public.factures disable trigger all',
    there: `select from pg_trigger where tgrelid = 'public.factures'::regclass and tgenabled <> 'O'`,
  },
  {
    what: 'row-level security that was switched off',
    make: 'alter table public.documents disable row level security, no force row level security',
    there: `select from pg_class where oid = 'public.documents'::regclass and not (relrowsecurity and relforcerowsecurity)`,
  },
  ...(
    [
      ['tables', 'r', 'grant select on tables to public', ''],
      ['functions that everybody may run', 'f', 'grant execute on functions to public', ''],
      ['functions of a schema', 'f', 'grant execute on functions to taxclaims_reporting', 'in schema app'],
    ] as const
  ).map(([objects, kind, grant, where]) => ({
    what: `default privileges for ${objects}`,
    make: `alter default privileges for role taxclaims_owner ${where} ${grant}`,
    there:
      kind === 'f' && where === ''
        ? // Postgres lets everybody run a function by default: it is the entry that takes this away.
          `select where not exists (
            select from pg_default_acl
            where defaclrole = 'taxclaims_owner'::regrole and defaclobjtype = 'f' and defaclnamespace = 0
          )`
        : `select from pg_default_acl where defaclobjtype = '${kind}' and (defaclnamespace <> 0) = ${String(where !== '')}`,
  })),
  {
    what: 'default privileges of another role in a schema of the house',
    make: 'alter default privileges in schema reporting grant select on tables to taxclaims_reporting',
    there: `select from pg_default_acl where defaclnamespace = 'reporting'::regnamespace`,
  },
  {
    what: 'a function of a superuser in a schema of the house',
    make: `create function app.by_superuser() returns bigint language sql security definer as 'select count(*) from public.clients'`,
    there: routine('by_superuser'),
  },
  {
    what: 'a function of the owner that no file makes, and another that needs it',
    make: AS_OWNER(`create function app.by_owner() returns integer language sql return 1;
      create function app.by_owner_too() returns integer language sql begin atomic select app.by_owner(); end`),
    there: `${routine('by_owner')} union all ${routine('by_owner_too')}`,
  },
  {
    what: 'a procedure and an aggregate',
    make: AS_OWNER(`create procedure reporting.by_hand() language sql as 'select 1';
      create aggregate app.by_hand (integer) (sfunc = int4pl, stype = integer)`),
    there: routine('by_hand'),
  },
  {
    what: 'a view that reads as its owner, and one upon it',
    make: AS_OWNER(`create view public.inner_view as select * from public.clients;
      create view public.outer_view as select * from public.inner_view; grant select on public.outer_view to public`),
    there: `${relation('inner_view')} union all ${relation('outer_view')}`,
  },
  {
    what: 'a copy that policies do not hold',
    make: 'create materialized view reporting.copy as select * from public.clients',
    there: relation('copy'),
  },
  {
    what: 'a view of the house that was changed',
    make: 'create or replace view reporting.sites as select s.*, true as by_hand from reporting.sites as s limit 0; drop view reporting.sites; create view reporting.sites as select id from public.sites',
    there: `select where not exists (select from pg_attribute where attrelid = 'reporting.sites'::regclass and attname = 'site_name')`,
  },
  {
    what: 'a function that a migration made, with another body',
    make: `create or replace function app.is_siret(siret text) returns boolean language sql immutable return true`,
    there: `select where app.is_siret('1')`,
  },
  {
    what: 'a function of the house that was given to another role',
    make: 'alter function app.touch() owner to pg_monitor',
    there: `select from pg_proc where proname = 'touch' and proowner = 'pg_monitor'::regrole`,
  },
  {
    what: 'settings and attributes of a function of the house',
    make: 'alter function app.client_access() leakproof security definer set search_path = public',
    there: `select from pg_proc where proname = 'client_access' and (proleakproof or prosecdef or proconfig <> '{"search_path=\\"\\""}')`,
  },
];

describe('what was changed by hand and a deploy takes back', () => {
  let database: TestDatabase;
  let admin: pg.Client;
  let before: unknown[];
  let said: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    admin = await connected(database.adminUrl);
    for (const { what, make, there } of TAKEN_BACK) {
      await admin.query(make);
      if ((await admin.query(there)).rowCount === 0) throw new Error(`${what} was not made`);
    }
    before = (await admin.query(DRIFT)).rows;
    const { log, said: heard } = hearing();
    await migrate({ adminUrl: database.adminUrl, log });
    said = heard();
  });

  afterAll(async () => {
    await admin.end();
    await database.close();
  });

  test.each(TAKEN_BACK.map(({ what, there }) => [what, there] as const))('%s', async (_what, there) => {
    expect((await admin.query(there)).rows).toEqual([]);
  });

  test('leaves no drift, and each thing that was taken back has its line', async () => {
    expect((await admin.query(DRIFT)).rows).toEqual([]);
    expect(before.length).toBeGreaterThan(20);
    expect(said.match(/"msg":"taken back: /g)).toHaveLength(before.length);
    expect(said).toContain('taken back: added trigger copy on public.reclamations');
    expect(said).not.toContain('still drift');
  });

  test('leaves what is not of the house alone, a DBA’s view over what BI tools read among it', async () => {
    expect((await admin.query(`select from pg_proc where proname = 'copy'`)).rowCount).toBe(1);
    await admin.query(
      'create view elsewhere.clients with (security_invoker) as select company_name from reporting.clients',
    );
    await admin.query('comment on view reporting.clients is null');
    await migrate({ adminUrl: database.adminUrl, log: pino({ level: 'silent' }) });
    await admin.query('select company_name from elsewhere.clients');
    const { rows: drift } = await admin.query<{ object: string }>(DRIFT);
    expect(drift.filter(({ object }) => !object.startsWith('elsewhere.'))).toEqual([]);
    const { rows } = await admin.query(
      `select from pg_description where objoid = 'reporting.clients'::regclass and objsubid = 0`,
    );
    expect(rows).toHaveLength(1);
  });
});

describe('what was given to a role of the house by hand', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());

  const since16 = (sql: string): string =>
    `do $$ begin if current_setting('server_version_num')::integer >= 160000 then execute '${sql}'; end if; end $$`;

  test.each([
    ['a membership', 'grant taxclaims_client to taxclaims_reporting'],
    ['a membership in a role of the server', 'grant pg_read_all_data to taxclaims_reporting'],
    ['the right to give a role on', 'grant taxclaims_client to taxclaims_api with admin option'],
    [
      'inheritance of what it may become',
      `alter role taxclaims_api inherit; ${since16('grant taxclaims_client to taxclaims_api with inherit true')}`,
    ],
    [
      'the power to become the role of all clients',
      since16('grant taxclaims_reporting_all to taxclaims_definer with set true'),
    ],
    ['a limit', 'alter role taxclaims_client connection limit 3'],
    ['a setting', `alter role taxclaims_client set app.client_access = '{}'`],
    [
      'a setting in this database',
      `do $$ begin execute format('alter role taxclaims_client in database %I set session_replication_role = replica', current_database()); end $$`,
    ],
    [
      'a right on the database',
      `do $$ begin execute format('grant create, temporary on database %I to taxclaims_client', current_database()); end $$`,
    ],
    ['the schema of the tables', 'grant usage, create on schema public to taxclaims_reporting'],
  ])('%s is taken back by a deploy, and nothing that others hold', async (_what, sql) => {
    await withAdmin(database.adminUrl, async (admin) => {
      const roles = `select r.rolname, r.rolinherit, r.rolconnlimit, s.setconfig,
          array(select to_jsonb(m) - 'oid' - 'grantor' from pg_auth_members as m where m.member = r.oid order by m.roleid) as members,
          array(select x.privilege_type from pg_database as d, aclexplode(d.datacl) as x where x.grantee = r.oid and d.datname = current_database() order by 1) as of_database,
          array(select x.privilege_type from pg_namespace as n, aclexplode(n.nspacl) as x where x.grantee = r.oid and n.nspname = 'public' order by 1) as of_public
        from pg_roles as r
        left join pg_db_role_setting as s on s.setrole = r.oid
        where r.rolname like 'taxclaims\\_%' and not r.rolcanlogin order by 1`;
      // Roles belong to the whole server, where other tests run: nothing of it is committed.
      await admin.query(
        `begin; create role test_bi login in role taxclaims_reporting; select reporting.grant_all_clients('test_bi')`,
      );
      const { rows: before } = await admin.query(roles);
      await admin.query(sql);
      const { rows: changed } = await admin.query(roles);
      const { rows: server } = await admin.query<{ version: number }>(
        `select current_setting('server_version_num')::integer as version`,
      );
      if (!sql.startsWith('do $$ begin if') || (server[0]?.version ?? 0) >= 160_000) {
        expect(changed).not.toEqual(before);
      }
      await admin.query(await rolesSql());
      expect((await admin.query(roles)).rows).toEqual(before);
      const { rows } = await admin.query(`select from pg_auth_members where member = 'test_bi'::regrole`);
      expect(rows).toHaveLength(2);
      await admin.query('rollback');
    });
  });
});
