import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import type { TestDatabase } from '../support/database.ts';
import { findingsBeside } from '../support/durability.ts';
import type { Found } from '../support/durability.ts';
import { openAsSuperuser } from './superuser.ts';

/* What a DBA does on a day like any other. An audit that cries over it is an audit that nobody reads. */

interface Action {
  readonly what: string;
  /** By a superuser, in a transaction that is taken back. CLIENT is one, DATABASE the name of the database. */
  readonly sql: string;
}

const CLIENT = 'c1000000-0000-4000-8000-000000000001';
const A_CLIENT = `insert into public.clients (id, company_name, contact_email) values ('${CLIENT}', 'Martin', 'martin@example.fr')`;
const BI = `create role test_bi login password 'x' connection limit 5 in role taxclaims_reporting`;
const API = `create role test_api login password 'x' in role taxclaims_api`;
const GRANTED = `${A_CLIENT}; ${BI}; select reporting.grant_client('test_bi', '${CLIENT}')`;
const OWN = 'create schema of_dba; create table of_dba.notes (id integer primary key, said text)';

const QUIET: readonly Action[] = [
  { what: 'makes a login of the API', sql: API },
  { what: 'makes a login of a BI tool', sql: BI },
  {
    what: 'makes a login of an auditor',
    sql: `create role test_auditor login password 'x' in role taxclaims_auditor`,
  },
  {
    what: 'makes a login of another DBA',
    sql: `create role test_dba login password 'x' in role taxclaims_owner; grant connect on database DATABASE to test_dba`,
  },
  { what: 'rotates a password', sql: `${API}; alter role test_api password 'y'` },
  { what: 'lets a password end', sql: `${API}; alter role test_api valid until '2099-01-01'` },
  { what: 'limits the connections of a login', sql: `${API}; alter role test_api connection limit 20` },
  { what: 'closes a login for a while', sql: `${API}; alter role test_api nologin` },
  { what: 'renames a login', sql: `${API}; alter role test_api rename to test_api_next` },
  { what: 'drops a login', sql: `${API}; drop role test_api` },
  {
    what: 'bounds the statements of a BI tool',
    sql: `${BI}; alter role test_bi set statement_timeout = '2min'`,
  },
  {
    what: 'bounds the temporary files of a BI tool',
    sql: `${BI}; alter role test_bi set temp_file_limit = '2GB'; alter role test_bi set idle_in_transaction_session_timeout = '5min'`,
  },
  {
    what: 'makes a BI tool read-only by default',
    sql: `${BI}; alter role test_bi set default_transaction_read_only = on`,
  },
  { what: 'leads a BI tool to its views', sql: `${BI}; alter role test_bi set search_path = reporting` },
  {
    what: 'gives a BI tool more memory for its sorts',
    sql: `${BI}; alter role test_bi set work_mem = '256MB'`,
  },
  { what: 'grants a client to a BI tool', sql: GRANTED },
  {
    what: 'takes a client from a BI tool',
    sql: `${GRANTED}; select reporting.revoke_client('test_bi', '${CLIENT}')`,
  },
  { what: 'grants all clients to a BI tool', sql: `${BI}; select reporting.grant_all_clients('test_bi')` },
  {
    what: 'takes all clients from a BI tool',
    sql: `${BI}; select reporting.grant_all_clients('test_bi'); select reporting.revoke_all_clients('test_bi')`,
  },
  { what: 'adopts the grants of a login', sql: `${GRANTED}; select reporting.adopt_grants('test_bi')` },
  { what: 'analyzes every table', sql: 'analyze' },
  { what: 'rebuilds the indexes of a table', sql: 'reindex table public.reclamations' },
  { what: 'has a schema with a table of their own', sql: `${OWN}; insert into of_dba.notes values (1, 'x')` },
  {
    what: 'has indexes, statistics and a trigger on a table of their own',
    sql: `${OWN}; create index on of_dba.notes (said); create statistics of_dba.both on id, said from of_dba.notes;
      create trigger same before update on of_dba.notes for each row execute function suppress_redundant_updates_trigger()`,
  },
  {
    what: 'has a function of their own',
    sql: 'create schema of_dba; create function of_dba.one() returns integer language sql return 1',
  },
  {
    what: 'has a view of their own over what BI tools read',
    sql: `create schema of_dba; create view of_dba.claims with (security_invoker) as
      select c.company_name, count(*) as claims from reporting.reclamations as r
      join reporting.clients as c on c.id = r.client_id group by c.company_name`,
  },
  {
    what: 'has a view of their own over what BI tools read, for nobody else',
    sql: 'create schema of_dba; create view of_dba.names as select company_name from reporting.clients',
  },
  {
    what: 'has lists of numbers with operators of their own',
    sql: 'create schema lists; create extension intarray schema lists',
  },
  {
    what: 'writes dates and names otherwise in the database',
    sql: `alter database DATABASE set datestyle = 'German'; alter database DATABASE set quote_all_identifiers = on`,
  },
  {
    what: 'watches the statements, from a schema of its own',
    sql: 'create schema statements; create extension pg_stat_statements schema statements',
  },
  {
    what: 'has a role of their own for a team',
    sql: `create role test_team; create role test_member login in role test_team`,
  },
  { what: 'sets the memory of the database', sql: `alter database DATABASE set work_mem = '64MB'` },
  {
    what: 'bounds the statements of the database',
    sql: `alter database DATABASE set statement_timeout = '10min'`,
  },
  {
    what: 'logs what takes long in the database',
    sql: `alter database DATABASE set log_min_duration_statement = '1s'`,
  },
  {
    what: 'sets the time zone of the database',
    sql: `alter database DATABASE set timezone = 'Europe/Paris'`,
  },
  {
    what: 'comments on a table, a role and the database',
    sql: `comment on table public.sites is 'x'; comment on role taxclaims_api is 'x'; comment on database DATABASE is 'x'`,
  },
  {
    what: 'holds every table as a dump does',
    sql: 'set transaction isolation level repeatable read; lock table public.clients, public.sites, public.users in access share mode',
  },
  {
    what: 'sets the counter of invoices after a restore',
    sql: 'insert into public.invoice_counters (year, last_number) values (2025, 17) on conflict (year) do update set last_number = 17',
  },
  { what: 'deletes kept answers', sql: 'delete from app.idempotency_keys' },
];

/** The same, of which they are told in one line, by the name under which it is accepted. */
const ONE_LINE: readonly (Action & { readonly told: string })[] = [
  {
    what: 'makes a login for monitoring',
    sql: `create role test_monitoring login in role pg_monitor; grant connect on database DATABASE to test_monitoring`,
    told: 'login_reaches_privilege',
  },
  {
    what: 'makes a login that counts the connections',
    sql: `create role test_counting login; grant connect on database DATABASE to test_counting`,
    told: 'rights_outside_house',
  },
  {
    what: 'makes a login for backups',
    sql: `create role test_backup login bypassrls in role pg_read_all_data; grant connect on database DATABASE to test_backup`,
    told: 'login_reaches_privilege',
  },
  {
    what: 'makes a login for a replica',
    sql: `create role test_replica login replication; grant connect on database DATABASE to test_replica`,
    told: 'login_reaches_privilege',
  },
  {
    what: 'grants a view to a login that is in no group',
    sql: `create role test_stranger login; grant connect on database DATABASE to test_stranger;
      grant usage on schema reporting to test_stranger; grant select on reporting.clients, reporting.sites to test_stranger`,
    told: 'rights_outside_house',
  },
  {
    what: 'publishes tables for a warehouse',
    sql: 'create publication warehouse for table public.clients, public.sites where (site_name is not null)',
    told: 'published_table',
  },
  {
    what: 'publishes every table',
    sql: 'create publication everything for all tables',
    told: 'published_table',
  },
  {
    what: 'lets BI tools make temporary tables',
    sql: 'grant temporary on database DATABASE to taxclaims_reporting',
    told: 'create_or_temp',
  },
  {
    what: 'searches for what is alike, from the schema of the tables',
    sql: 'create extension pg_trgm schema public',
    told: 'extension',
  },
  {
    what: 'watches the statements, from the schema of the tables',
    sql: 'create extension pg_stat_statements schema public',
    told: 'extension',
  },
  { what: 'has texts without case', sql: 'create extension citext schema public', told: 'extension' },
  {
    what: 'looks into the buffers',
    sql: 'create schema buffers; create extension pg_buffercache schema buffers',
    told: 'extension_not_known',
  },
  {
    what: 'has a view of their own, which BI tools read',
    sql: `create schema of_dba; grant usage on schema of_dba to taxclaims_reporting;
      create view of_dba.names with (security_invoker) as select id, company_name from reporting.clients;
      grant select on of_dba.names to taxclaims_reporting`,
    told: 'schema',
  },
  {
    what: 'has a table of their own, which BI tools read',
    sql: `create schema of_dba; grant usage on schema of_dba to taxclaims_reporting;
      create table of_dba.codes (code text primary key, said text not null); grant select on of_dba.codes to taxclaims_reporting`,
    told: 'schema',
  },
  {
    what: 'has a function of their own, which BI tools run',
    sql: `create schema of_dba; grant usage on schema of_dba to taxclaims_reporting;
      create function of_dba.quarter(date) returns integer language sql return extract(quarter from $1);
      grant execute on function of_dba.quarter(date) to taxclaims_reporting`,
    told: 'schema',
  },
  {
    what: 'has a schema in the name of the owner, with a view and a table',
    sql: `create schema of_dba authorization taxclaims_owner; set local role taxclaims_owner;
      create view of_dba.names as select id, company_name from reporting.clients;
      create table of_dba.notes (id integer generated always as identity primary key, said text); reset role`,
    told: 'schema',
  },
  {
    what: 'has an aggregate of their own',
    sql: 'create schema of_dba; create aggregate of_dba.total (integer) (sfunc = pg_catalog.int4pl, stype = integer)',
    told: 'schema',
  },
  {
    what: 'has a table of their own that writes down who wrote to it',
    sql: 'create schema of_dba; create table of_dba.seen (by_role text default app.role())',
    told: 'schema',
  },
  {
    what: 'forbids equal rows',
    sql: 'create unique index of_dba_unique on public.sites (id, site_name)',
    told: 'index',
  },
  {
    what: 'has an index of some rows alone',
    sql: 'create index of_dba_some on public.reclamations (status) where amount > 10000',
    told: 'index',
  },
  {
    what: 'leads a BI tool to a schema of their own',
    sql: `${BI}; alter role test_bi set search_path = reporting, of_dba`,
    told: 'setting_stored',
  },
  {
    what: 'bounds the statements of all BI tools',
    sql: `alter role taxclaims_reporting set statement_timeout = '5min'`,
    told: 'setting',
  },
  {
    what: 'leads everybody to the views',
    sql: 'alter database DATABASE set search_path = reporting, public',
    told: 'database setting',
  },
  { what: 'makes another superuser', sql: 'create role test_root superuser login', told: 'superuser' },
  {
    what: 'adds a column of their own',
    sql: 'alter table public.clients add column note_of_dba text',
    told: 'column',
  },
  {
    what: 'demands something more of a table',
    sql: `alter table public.clients add constraint of_dba_named check (company_name <> '')`,
    told: 'constraint',
  },
  {
    what: 'lets a login set what is logged',
    sql: `create role test_logging login; grant set on parameter log_min_duration_statement to test_logging`,
    told: 'parameter grant',
  },
];

/** The schemas of the house are the house's: whoever makes something there is told all that is wrong with it. */
const TOLD: readonly (Action & { readonly told: readonly string[] })[] = [
  {
    what: 'keeps a table of their own among the house’s',
    sql: 'create table public.notes (id integer)',
    told: ['foreign_owner', 'rls_disabled', 'table'],
  },
  {
    what: 'keeps a function of their own among the house’s',
    sql: 'create function public.one() returns integer language sql return 1',
    told: ['foreign_owner', 'function', 'function body'],
  },
];

/** What cannot be in a transaction, with what takes it back. */
const OUTSIDE: readonly { what: string; sql: string; undo?: string }[] = [
  { what: 'vacuums every table', sql: 'vacuum' },
  {
    what: 'makes another database',
    sql: 'create database DATABASE_other',
    undo: 'drop database DATABASE_other',
  },
  {
    what: 'logs connections on the whole server',
    sql: 'alter system set log_disconnections = on',
    undo: 'alter system reset log_disconnections',
  },
  { what: 'writes a checkpoint', sql: 'checkpoint' },
];

describe('a DBA who', () => {
  let database: TestDatabase;
  let admin: pg.Client;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ database, admin, close } = await openAsSuperuser());
  });

  afterAll(() => close());

  /** Findings and drift, by the names under which they are accepted. */
  async function told(): Promise<{ what: string; object: string }[]> {
    const { rows: findings } = await admin.query<Found>('select finding, object from audit.findings');
    const { rows: drift } = await admin.query<{ what: string; object: string }>(
      'select kind as what, object from audit.drift',
    );
    const beside = await findingsBeside(admin, findings);
    return [...beside.map(({ finding, object }) => ({ what: finding, object })), ...drift];
  }

  const here = (sql: string): string => sql.replaceAll('DATABASE', database.name);

  /** The same action on roles, clients and schemas of its own, so that one more like it can be done beside it. */
  const apart = (sql: string, nth: number): string =>
    sql
      .replaceAll(/\btest_[a-z]+/g, (name) => `${name}_${String(nth)}`)
      .replaceAll(/\bof_dba\b/g, `of_dba_${String(nth)}`)
      .replaceAll(CLIENT, CLIENT.replace(/..$/, String(nth + 10)));

  /** What must be the first of a transaction comes first. */
  const firstOfAll = (actions: readonly Action[]): readonly Action[] =>
    actions.toSorted((a, b) => Number(/isolation/.test(b.sql)) - Number(/isolation/.test(a.sql)));

  test('does any of these is not told of it', async () => {
    // Never committed: roles belong to the whole server, where other tests run.
    await admin.query('begin');
    try {
      for (const [nth, { what, sql }] of firstOfAll(QUIET).entries()) {
        await admin.query(here(apart(sql, nth))).catch((error: unknown) => {
          throw new Error(`this cannot be done: ${what}`, { cause: error });
        });
      }
      expect(await told()).toEqual([]);
    } finally {
      await admin.query('rollback');
    }
  });

  test.each(OUTSIDE.map(({ what, sql, undo }) => [what, sql, undo] as const))(
    '%s is not told of it',
    async (_what, sql, undo) => {
      await admin.query(here(sql));
      try {
        expect(await told()).toEqual([]);
      } finally {
        if (undo !== undefined) await admin.query(here(undo));
      }
    },
  );

  test('does any of these others is told of each in one line, and no more of what is accepted until it changes', async () => {
    await admin.query('begin');
    try {
      for (const [nth, { what, sql }] of ONE_LINE.entries()) {
        await admin.query(here(apart(sql, nth))).catch((error: unknown) => {
          throw new Error(`this cannot be done: ${what}`, { cause: error });
        });
      }
      const lines = await told();
      expect(lines.map(({ what }) => what).sort()).toEqual(ONE_LINE.map((action) => action.told).sort());
      const accepted = ['extension', 'rights_outside_house', 'schema'].map(
        (one) => lines.find(({ what }) => what === one) ?? { what: one, object: 'none' },
      );
      for (const { what, object } of accepted) {
        await admin.query('select audit.accept($1, $2, $3)', [what, object, 'this deployment means it']);
      }
      const left = lines.filter((line) => !accepted.includes(line));
      expect(new Set(await told())).toEqual(new Set(left));
      const schema = accepted[2];
      await admin.query(`create view ${schema?.object ?? ''}.more with (security_invoker) as select id from reporting.clients;
        grant select on ${schema?.object ?? ''}.more to taxclaims_reporting`);
      expect(new Set(await told())).toEqual(new Set([...left, schema]));
    } finally {
      await admin.query('rollback');
    }
  });

  test.each(TOLD.map(({ what, sql, told: expected }) => [what, sql, expected] as const))(
    '%s is told so, and no more once it is accepted',
    async (_what, sql, expected) => {
      await admin.query('begin');
      try {
        await admin.query(here(sql));
        const said = await told();
        expect(said.map(({ what }) => what)).toEqual(expect.arrayContaining([...expected]));
        for (const { what, object } of said) {
          await admin.query('select audit.accept($1, $2, $3)', [what, object, 'this deployment means it']);
        }
        expect(await told()).toEqual([]);
      } finally {
        await admin.query('rollback');
      }
    },
  );

  test('has 70 such actions and more, of which few are told and none in two lines but among what is the house’s', () => {
    const all = [...QUIET, ...OUTSIDE, ...ONE_LINE, ...TOLD].map(({ what }) => what);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(70);
    expect(QUIET.length + OUTSIDE.length).toBeGreaterThan(ONE_LINE.length);
    expect(TOLD.length).toBe(2);
  });
});
