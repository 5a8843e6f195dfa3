import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { DeployHeldUp } from '../../../src/admin/deploy/migration-error.ts';
import { migrate } from '../../../src/admin/deploy/migrate.ts';
import { connected, createEmptyDatabase, type TestDatabase, withAdmin } from '../../support/database.ts';
import { createTestLogger } from '../../support/test-logger.ts';
import { layFaultyLine } from '../../support/faulty-line.ts';
import { createReportingLogin } from '../../support/reporting-login.ts';
import { rightsIn } from '../../support/rights.ts';
import { createDatabaseBefore, createDatabaseToDeploy } from '../../support/release-before.ts';

const log = pino({ level: 'silent' });
const cleanUp: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

async function database(making = createDatabaseToDeploy()): Promise<TestDatabase> {
  const made = await making;
  cleanUp.push(() => made.close());
  return made;
}

/** Opens a session of a new reporting login, with the application name `a-report`, and runs the given SQL in it. */
async function reporting(made: TestDatabase, ...sql: string[]): Promise<pg.Client> {
  const login = await createReportingLogin(made);
  cleanUp.push(() => login.drop());
  return session(login.url, 'a-report', ...sql);
}

async function session(url: string, application: string, ...sql: string[]): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: application });
  client.on('error', () => undefined);
  cleanUp.push(() => client.end().catch(() => undefined));
  await client.connect();
  for (const one of sql) await client.query(one).catch(() => undefined);
  return client;
}

/** SQL that lists the tables on which no role except the owner has a right. */
const CLOSED = `
  select c.oid::regclass::text as name
  from pg_class as c
  where c.relowner = to_regrole('taxclaims_owner') and c.relkind in ('r', 'p') and c.relnamespace <> 'app'::regnamespace
      and not exists (
          select from pg_attribute as a
          cross join lateral (select grantee from aclexplode(c.relacl) union select grantee from aclexplode(a.attacl)) as r
          where a.attrelid = c.oid and r.grantee <> c.relowner
      )`;

/** Creates a database with the migrations and policies of an earlier release. */
const olderDatabase = (): Promise<TestDatabase> => database(createDatabaseBefore('0016'));

describe('the rights on a table that a migration creates', () => {
  test.each([
    { where: 'in a new database', make: createEmptyDatabase },
    { where: 'in a database of an earlier release', make: olderDatabase },
  ])('a table that a deploy creates $where becomes visible only together with its rights', async ({ make }) => {
    const made = await make();
    const session = await connected(made.adminUrl);
    const closed = async () => (await session.query<{ name: string }>(CLOSED)).rows.map(({ name }) => name);
    const closedRights = new Set<string>();
    const over = new AbortController();
    const deploying = migrate({ adminUrl: made.adminUrl, log }).finally(() => {
      over.abort();
    });
    deploying.catch(() => undefined);
    let looks = 0;
    for (; !over.signal.aborted; looks += 1) for (const name of await closed().catch(() => [])) closedRights.add(name);
    await deploying;
    expect(looks).toBeGreaterThan(10);
    expect([...closedRights].sort()).toEqual(await closed());
    await session.end();
    await made.close();
  });
});

describe('the lock app.deploy_lock, which a deploy takes', () => {
  test.each([
    'select pg_try_advisory_lock(7202611)',
    'lock table app.deploy_lock in access share mode',
    'prepare held as select from app.deploy_lock',
    'prepare held as delete from app.deploy_lock',
    'prepare held as select from app.deploy_lock for update',
    'create trigger held before insert on app.deploy_lock execute function pg_catalog.suppress_redundant_updates_trigger()',
    'analyze app.deploy_lock',
  ])('no session except an administrator’s can block a deploy with the statement: %s', async (sql) => {
    const made = await database();
    const savepoint = ['begin', 'savepoint before', sql];
    await reporting(made, ...savepoint);
    const api = await session(made.apiUrl, 'the-api', ...savepoint);
    // Tries the blocking statement again with the database role that a request uses.
    await api.query('rollback to before').catch(() => undefined);
    await api.query('set local role taxclaims_admin').catch(() => undefined);
    await api.query(sql).catch(() => undefined);
    await migrate({ adminUrl: made.adminUrl, log, maxWaitMs: 1_000 });
  });
});

describe('a session that blocks a deploy', () => {
  test('if a reporting session blocks a deploy without --evict, the deploy names the session while it waits and in its final error, and does not end it', async () => {
    const made = await database();
    const report = await reporting(made, 'begin', 'select from reporting.sites');
    const { log: listening, loggedText } = createTestLogger();
    const held = migrate({ adminUrl: made.adminUrl, log: listening, maxWaitMs: 2_500, reportAfterMs: 500 });
    await expect(held).rejects.toThrow(
      /^the deploy of the rights was blocked for 3 s by pid \d+ \(login \w+_bi, application "a-report", since \S+ \S+Z, holds AccessShareLock on .*public\.sites.*\)$/,
    );
    await expect(held).rejects.toBeInstanceOf(DeployHeldUp);
    expect(loggedText()).toMatch(/the deploy of the rights has waited \d+ s for pid \d+ \(login \w+_bi, /);
    await report.query('select from reporting.sites');
  });

  test('a deploy with --evict ends only the blocking session of a reporting login, and no other session', async () => {
    const made = await database();
    const reader = ['begin', 'select from reporting.clients'];
    const report = await reporting(made, ...reader);
    const ended = new Promise((resolve) => report.once('end', resolve));
    const { log: listening, loggedText, logged } = createTestLogger();
    const api = await session(
      made.apiUrl,
      'the-api',
      'begin',
      'set local role taxclaims_admin',
      'select from public.clients',
    );
    const administrator = await session(made.adminUrl, 'the-dba', ...reader);
    const both = `${made.name}_both`;
    await withAdmin(made.adminUrl, (admin) =>
      // The group whose name ends in _team is no role of the project. Otherwise the audit of every other database on
      // the test’s server would report it.
      admin.query(
        `create role ${both}_team; create role ${both} login password 'both' in role taxclaims_reporting, ${both}_team`,
      ),
    );
    cleanUp.push(() => withAdmin(made.adminUrl, (admin) => admin.query(`drop role ${both}, ${both}_team`)));
    const address = new URL(made.adminUrl);
    address.username = both;
    address.password = 'both';
    const analyst = await session(address.href, 'an-analyst', ...reader);
    const migrating = migrate({ adminUrl: made.adminUrl, log: listening, reportAfterMs: 500, evict: true });
    migrating.catch(() => undefined);
    await logged('ended sessions that blocked');
    await ended;
    for (const other of [api, administrator, analyst]) await other.query('commit');
    await migrating;
    expect(loggedText().match(/ended sessions that blocked [^"\\]*\(login \w+/g)).toHaveLength(1);
    expect(loggedText()).toMatch(/ended sessions that blocked the deploy of the rights: pid \d+ \(login \w+_bi, /);
  });

  test('a deploy names the prepared transaction of Postgres that blocks the deploy', async () => {
    const made = await database();
    await withAdmin(made.adminUrl, async (admin) => {
      const { rows } = await admin.query<{ most: number }>(
        `select current_setting('max_prepared_transactions')::integer as most`,
      );
      // A server may be configured to allow no prepared transactions, and then none can block a deploy.
      if (rows[0]?.most === 0) return;
      await admin.query(`begin; update public.clients set address = 'Lyon'; prepare transaction '${made.name}'`);
      try {
        await expect(migrate({ adminUrl: made.adminUrl, log, maxWaitMs: 1_000 })).rejects.toThrow(
          /by the prepared transaction "\w+" \(of postgres, since \S+ \S+Z, holds .*public\.clients/,
        );
      } finally {
        await admin.query(`rollback prepared '${made.name}'`);
      }
    });
  });

  test('if another session blocks a migration for a while, the deploy tries the migration again and completes', async () => {
    const before = await rightsIn((await database()).adminUrl);
    const made = await olderDatabase();
    const reader = await session(made.adminUrl, 'a-reader', 'begin', 'select from app.migrations');
    const { log: listening, logged } = createTestLogger();
    const migrating = migrate({ adminUrl: made.adminUrl, log: listening });
    migrating.catch(() => undefined);
    await logged('waiting for a lock');
    await reader.query('commit');
    await migrating;
    expect(await rightsIn(made.adminUrl)).toBe(before);
  });
});

describe('a deploy to a server that does not answer', () => {
  test('a deploy fails if the database server does not answer at all, or stops answering during the deploy', async () => {
    const made = await database();
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const line = await layFaultyLine({ port: Number(new URL(made.adminUrl).port) }, (nth, passed) => {
      if (nth === 20) passed.become('mute');
    });
    cleanUp.push(() => {
      line.close();
    });
    await Promise.all([
      expect(migrate({ adminUrl: `postgres://nobody@127.0.0.1:${port}/none`, log })).rejects.toThrow(
        'no connection to the database at DATABASE_ADMIN_URL: no answer in 10 s',
      ),
      expect(migrate({ adminUrl: line.through(made.adminUrl), log })).rejects.toThrow(
        /the server no longer answers \(.*no answer in 10 s\): run the command again/,
      ),
    ]);
    silent.close();
  });
});

describe('a deploy to a database of another release', () => {
  test.each([
    [
      'was migrated by newer code',
      `insert into app.migrations (name, run_on) values ('0998_later', now()), ('0999_latest', now())`,
      /has migrations that this release does not have \(0998_later, 0999_latest\): deploy the release/,
    ],
    [
      'was migrated with a file that was edited afterwards',
      `update app.migrations set digest = 'other' where name = '0003_clients_and_sites'`,
      /changed after this database applied them: db\/migrations\/0003_clients_and_sites\.sql/,
    ],
  ])('a deploy fails and changes nothing in a database that %s', async (_what, sql, message) => {
    const made = await database();
    await withAdmin(made.adminUrl, (admin) =>
      admin.query(`${sql}; create policy by_hand on public.clients using (false)`),
    );
    const before = await rightsIn(made.adminUrl);
    await expect(migrate({ adminUrl: made.adminUrl, log })).rejects.toThrow(message);
    expect(await rightsIn(made.adminUrl)).toBe(before);
  });

  test('the table app.migrations refuses a second row with the name of a migration that it already has', async () => {
    const made = await database();
    await withAdmin(made.adminUrl, async (admin) => {
      await expect(
        admin.query(`insert into app.migrations (name, run_on) select name, now() from app.migrations`),
      ).rejects.toThrow(/migrations_name_key/);
    });
  });
});
