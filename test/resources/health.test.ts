import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { VERSION } from '../../src/version.ts';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { sqlFolder } from '../../src/db/sql-folder.ts';
import { createHealthProbes } from '../../src/resources/health.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { healthOnce } from '../support/health.ts';
import { expectError, type Service, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';

/** The interval in milliseconds at which the health check looks at the database, shorter than in production. */
const SOON_MS = 20;

const service = await forSuite(startService({ probes: createHealthProbes(SOON_MS) }));

describe('the health check', () => {
  const { name } = service.postgres;
  test.each([
    ...['public.documents', 'reporting.grants', 'app.migrations'].flatMap((table) => [
      [
        `row-level security is off on ${table}`,
        `alter table ${table} disable row level security`,
        `alter table ${table} enable row level security`,
      ],
      [
        `row-level security of ${table} is not forced for the owner`,
        `alter table ${table} no force row level security`,
        `alter table ${table} force row level security`,
      ],
    ]),
    [
      'sessions begin with session_replication_role = replica',
      `alter database ${name} set session_replication_role = replica`,
      `alter database ${name} reset session_replication_role`,
    ],
    [
      'a table belongs to the role taxclaims_api',
      'alter table public.cadastres owner to taxclaims_api',
      'alter table public.cadastres owner to taxclaims_owner',
    ],
  ])('GET /health answers 503 while %s', async (_what, change = '', undo = '') => {
    await service.admin(change);
    const answers = [await healthOnce(service, 503), await service.ask('GET /')];
    await service.admin(undo);
    for (const answer of answers) expectError(answer, 'ERROR_UNAVAILABLE');
    expect((await healthOnce(service, 200)).json).toEqual({ status: 'ok', version: VERSION });
  });

  test.each([
    [
      'a helper function of the policies was replaced',
      `create or replace function app.client_access() returns uuid[] language plpgsql stable set search_path = ''
       as 'begin return array[]::uuid[]; end'`,
    ],
    [
      'a helper function of the policies runs with other settings',
      'alter function app.client_access() set search_path = public',
    ],
    [
      'the audit log’s append-only trigger is disabled',
      'alter table public.audit_logs disable trigger audit_logs_append_only',
    ],
    ['a trigger that writes audit records is gone', 'drop trigger sites_audit_write on public.sites'],
    ['the foreign keys of a table are disabled', 'alter table public.sites disable trigger all'],
    [
      'a rule keeps records from the audit log',
      'create rule quiet as on insert to public.audit_logs do instead nothing',
    ],
  ])('GET /health answers 503 while %s, until the next deploy repairs the database', async (_what, change) => {
    await healthOnce(service, 200);
    await service.admin(change);
    try {
      expectError(await healthOnce(service, 503), 'ERROR_UNAVAILABLE');
    } finally {
      await migrate({ adminUrl: service.postgres.adminUrl, log: pino({ level: 'silent' }) });
    }
    await healthOnce(service, 200);
  });
});

test('the health check queries the database once per interval, however many probes ask it', async () => {
  const [seldom, often] = (await Promise.all(
    [600_000, SOON_MS].map((ms) => startService({ probes: createHealthProbes(ms) })),
  )) as [Service, Service];
  const lastQueryStart = async (service: Service): Promise<unknown> => {
    await healthOnce(service, 200);
    const [row] = await service.admin(
      `select query_start::text from pg_stat_activity
       where datname = current_database() and query ~ 'app.objections' and pid <> pg_backend_pid()`,
    );
    return row?.['query_start'];
  };
  try {
    const first = await lastQueryStart(seldom);
    for (let probe = 0; probe < 60; probe += 1) expect(await lastQueryStart(seldom)).toBe(first);
    const before = await lastQueryStart(often);
    await until(async () => (await lastQueryStart(often)) !== before);
  } finally {
    await seldom.close();
    await often.close();
  }
});

/** Creates a database login that only one service uses, because the tests change that login. */
function ownLogin(apiUrl: string): { readonly name: string; readonly url: string } {
  const url = new URL(apiUrl);
  const name = `${url.pathname.slice(1)}_login`;
  url.username = name;
  url.password = 'secret';
  return { name, url: url.href };
}

const CLIENT = { company_name: 'X', contact_email: 'x@x.example' };

const lines: string[] = [];
const log = pino({}, { write: (line: string) => lines.push(line) });
const probes = createHealthProbes(SOON_MS);
const alone = await forSuite(startService({ probes, log, databaseUrl: (url) => ownLogin(url).url }));
const { name: login } = ownLogin(alone.postgres.apiUrl);
await alone.admin(`create role ${login} login password 'secret' in role taxclaims_api`);
await forSuite({ drop: () => alone.admin(`drop owned by ${login}; drop role ${login}`) });

describe('the health check of a service with its own database login', () => {
  /**
   * Changes the service’s database login by SQL, and ends the login’s connections, because only new connections get the
   * change.
   */
  async function changed(sql: string): Promise<void> {
    await alone.admin(sql);
    await alone.admin(`select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = '${login}'`);
  }

  async function expectUnavailableWhile(change: string, undo: string, reason: RegExp): Promise<void> {
    await healthOnce(alone, 200);
    await changed(change);
    lines.length = 0;
    const reasons = (): unknown[] => lines.map((line) => (JSON.parse(line) as { reason?: string }).reason);
    // The test has just ended a database connection. The service possibly logs that lost connection as the first reason
    // for the 503.
    await until(async () => {
      await healthOnce(alone, 503);
      return reasons().some((one) => reason.test(String(one)));
    });
    await changed(undo);
    await healthOnce(alone, 200);
  }

  const connect = `connect on database ${alone.postgres.name}`;
  test.each([
    ...[
      ['is a superuser', 'superuser'],
      ['bypasses row-level security', 'bypassrls'],
      ['creates roles', 'createrole'],
      ['replicates', 'replication'],
    ].map(([is = '', power = '']) => ({
      ...{ state: `the service’s login ${is}`, reason: new RegExp(power, 'i') },
      ...{ change: `alter role ${login} ${power}`, undo: `alter role ${login} no${power}` },
    })),
    ...['taxclaims_owner', 'taxclaims_reporting', 'taxclaims_client', 'pg_read_all_data'].map((role) => ({
      ...{ state: `the service’s login is a member of ${role}`, reason: new RegExp(`is a member of ${role}`) },
      ...{ change: `grant ${role} to ${login}`, undo: `revoke ${role} from ${login}` },
    })),
    {
      state: 'the service’s login is no member of taxclaims_api',
      change: `grant ${connect} to ${login}; revoke taxclaims_api from ${login}`,
      undo: `revoke ${connect} from ${login}; grant taxclaims_api to ${login}`,
      reason: /is no member of taxclaims_api, or does not inherit it/,
    },
    {
      state: 'the service’s login owns an object',
      change: `create schema odd authorization ${login}`,
      undo: 'drop schema odd',
      reason: /owns 1 objects of this database, such as schema odd/,
    },
    {
      state: 'the database is of a release without app.objections',
      change: 'alter function app.objections(text[]) rename to objected',
      undo: 'alter function app.objected(text[]) rename to objections',
      reason: /not migrated, or of an older release: run db:migrate/,
    },
  ])('GET /health answers 503 and the service logs the reason while $state', async ({ change, undo, reason }) => {
    await expectUnavailableWhile(change, undo, reason);
  });

  test('while the database is read-only, GET /health and a write request get 503, and the service logs the reason', async () => {
    const token = await alone.token('ADMIN');
    const write = { token, body: CLIENT };
    const database = alone.postgres.name;
    const bad = `alter database ${database} set default_transaction_read_only = on`;
    const good = `set transaction_read_only = off; alter database ${database} reset default_transaction_read_only`;
    await changed(bad);
    expectError(await alone.ask('POST /api/clients', write), 'ERROR_UNAVAILABLE');
    await changed(good);
    expect((await alone.ask('POST /api/clients', write)).status).toBe(201);
    await expectUnavailableWhile(bad, good, /the database takes no writes: default_transaction_read_only is on/);
  });

  test('while the service’s database login has the setting row_security = off, the health check and every request answer 503', async () => {
    const token = await alone.token('ADMIN');
    const write = { token, body: CLIENT };
    const bad = `alter role ${login} set row_security = off`;
    const good = `alter role ${login} reset row_security`;
    await changed(bad);
    for (const line of ['GET /api/clients', 'GET /api/users/me'])
      expectError(await alone.ask(line, { token }), 'ERROR_UNAVAILABLE');
    expectError(await alone.ask('POST /api/clients', write), 'ERROR_UNAVAILABLE');
    expectError(await alone.ask('POST /api/auth/login', { body: { token } }), 'ERROR_UNAVAILABLE');
    await changed(good);
    expect((await alone.ask('POST /api/clients', write)).status).toBe(201);
    await expectUnavailableWhile(bad, good, /begins with row_security=off/);
  });

  test('the health check answers 503 and logs the missing migration on an older database, and 200 on a newer one', async () => {
    const [row] = await alone.admin('select app.applied_migrations() as applied');
    const applied = row?.['applied'] as string[];
    expect(applied.length).toBeGreaterThan(10);
    const pretend = (names: readonly string[]): string =>
      `create or replace function app.applied_migrations() returns text[] language sql stable set search_path = ''
       return '{${names.join()}}'::text[]`;
    const last = String(applied.at(-1));
    const reason = new RegExp(`older than this release: run db:migrate, which has yet to apply ${last}$`);
    await expectUnavailableWhile(pretend(applied.slice(0, -1)), pretend(applied), reason);
    // Like a deploy of the next release, the test also stores the changed function as the deployed one, because GET
    // /health compares the deployed functions with the present ones.
    const deployed = await readFile(sqlFolder('guards-as-deployed.sql'), 'utf8');
    await changed(`${pretend([...applied, '9999_of_the_next_release'])}; ${deployed}`);
    await healthOnce(alone, 200);
    await changed(`${pretend(applied)}; ${deployed}`);
  });
});

test('on a database that is not migrated, the health check and every request answer 503, and the service logs the reason', async () => {
  const empty = await createEmptyDatabase();
  const lines: string[] = [];
  const service = await startService({
    databaseUrl: (url) => Object.assign(new URL(url), { pathname: `/${empty.name}` }).href,
    log: pino({}, { write: (line: string) => lines.push(line) }),
  });
  try {
    expectError(await service.ask('GET /health'), 'ERROR_UNAVAILABLE');
    expect(lines.join('')).toContain('the database is not migrated, or of an older release: run db:migrate');
    const token = await service.token('ADMIN');
    expectError(await service.ask('GET /api/clients', { token }), 'ERROR_UNAVAILABLE');
    const body = { company_name: 'X', contact_email: 'x@x.example' };
    expectError(await service.ask('POST /api/clients', { token, body }), 'ERROR_UNAVAILABLE');
    expectError(await service.ask('POST /api/auth/login', { body: { token } }), 'ERROR_UNAVAILABLE');
  } finally {
    await service.close();
    await empty.close();
  }
});
