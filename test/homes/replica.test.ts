import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { dataDirectory } from '../../src/demo/postgres/cluster.ts';
import { startEmbeddedServer } from '../../src/demo/postgres/server.ts';
import { asDatabase, connected, withAdmin } from '../support/database.ts';
import { ask, createFolder, nextTurn, silent } from '../support/embedded.ts';
import { blockOf } from '../support/pages.ts';
import { forSuite } from '../support/suite.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';
import { makeLogin } from '../support/world.ts';

/*
 * A BI login on a bought Postgres, where nobody closed the functions of advisory locks, with a primary and a hot standby.
 * The standby's lock table is its own.
 */

const DATABASE = 'claims';
const LOGIN = 'bi_acme';
/** More advisory locks than the lock table of a server of this test holds. */
const MANY_LOCKS = 'select pg_advisory_lock(n) from generate_series(1, 1000000) as n';
const LOCK_TABLE_IS_FULL = { code: '53200' };

const settings = {
  fsync: 'off',
  max_connections: '30',
  max_locks_per_transaction: '10',
};
const [own, foreign] = [newTenant(), newTenant()];

const primaryFolder = await forSuite(createFolder());
const first = await startEmbeddedServer({
  dataDir: primaryFolder.path,
  log: silent,
  settings,
});
const administrator = await makeLogin(first.adminUrl, 'claims_admin', 'createrole createdb');
await withAdmin(asDatabase(first.adminUrl, 'postgres'), (admin) =>
  admin.query(`create database ${DATABASE} owner ${administrator.name}`),
);
await migrate({
  adminUrl: asDatabase(first.adminUrl, DATABASE, administrator),
  log: silent,
});
const login = await makeLogin(first.adminUrl, LOGIN, 'in role taxclaims_reporting');
await withAdmin(asDatabase(first.adminUrl, DATABASE), async (admin) => {
  await admin.query(tenantSql(own, 'Own') + tenantSql(foreign, 'Foreign'));
  await admin.query('select reporting.grant_client($1, $2)', [LOGIN, own.clients]);
});
await first.stop();

const standbyFolder = await forSuite(createFolder());
const [ofPrimary, ofStandby] = [primaryFolder, standbyFolder].map(({ path }) => join(path, 'postgres')) as [
  string,
  string,
];
execFileSync('cp', ['-a', ofPrimary, ofStandby]);
await writeFile(join(dataDirectory(ofStandby), 'standby.signal'), '');
const primary = await forSuite(startEmbeddedServer({ dataDir: primaryFolder.path, log: silent, settings }));
const password = await readFile(join(ofPrimary, 'password'), 'utf8');
const primary_conninfo = `host=127.0.0.1 port=${primary.port} user=postgres password=${password}`;
const standby = await forSuite(
  startEmbeddedServer({
    dataDir: standbyFolder.path,
    log: silent,
    settings: { ...settings, primary_conninfo },
  }),
);

const onPrimary = asDatabase(primary.adminUrl, DATABASE);
const onStandby = asDatabase(standby.adminUrl, DATABASE);
const onPrimaryAsTool = asDatabase(primary.adminUrl, DATABASE, login);
const onStandbyAsTool = asDatabase(standby.adminUrl, DATABASE, login);

/** Waits until the standby has what the primary has committed. */
async function caughtUp(): Promise<void> {
  const written = await ask(onPrimary, 'select pg_current_wal_flush_lsn()');
  const replayed = `select pg_last_wal_replay_lsn() >= '${written}'::pg_lsn`;
  while ((await ask(onStandby, replayed).catch(() => 'false')) !== 'true') await nextTurn();
}

/** Works while a BI tool holds every lock of a server. */
async function whileLocksAreTaken(url: string, work: (tool: pg.Client) => Promise<void>): Promise<void> {
  const tool = await connected(url);
  tool.on('error', () => undefined);
  try {
    await expect(tool.query(MANY_LOCKS)).rejects.toMatchObject(LOCK_TABLE_IS_FULL);
    await work(tool);
  } finally {
    await tool.end().catch(() => undefined);
  }
}

describe('a BI login on a standby', () => {
  test('a BI login on a standby reads the reporting views of its client, and no row of another client', async () => {
    await caughtUp();
    await withAdmin(onStandbyAsTool, async (tool) => {
      expect((await tool.query('select pg_is_in_recovery() as standby')).rows).toEqual([{ standby: true }]);
      expect((await tool.query('select company_name from reporting.clients')).rows).toEqual([{ company_name: 'Own' }]);
      expect((await tool.query('select client_id from reporting.sites')).rows).toEqual([{ client_id: own.clients }]);
      await expect(tool.query('select id from public.clients')).rejects.toMatchObject({ code: '42501' });
    });
  });

  test.each([
    ['a temporary table', 'create temporary table kept ()', '25006'],
    ['a notification', 'notify claims', '25006'],
    ['a row lock', 'select id from reporting.clients for update', '42501'],
    ['a large object', `select lo_from_bytea(0, '')`, '25006'],
    ['a message in the write-ahead log', `select pg_logical_emit_message(false, 'x', 'x')`, 'XX000'],
    ['a new password', `alter role ${LOGIN} password 'other'`, '25006'],
    ['a transaction that writes', 'set transaction read write', '0A000'],
  ])('a BI login on a standby writes nothing: Postgres refuses %s', async (_, sql, code) => {
    await withAdmin(onStandbyAsTool, async (tool) => {
      await tool.query('begin');
      await expect(tool.query(sql)).rejects.toMatchObject({ code });
    });
  });

  test('a BI login on a standby fills the lock table of the standby alone: nobody connects there, and the primary serves', async () => {
    const started = await ask(onStandby, 'select pg_postmaster_start_time()::text');
    await whileLocksAreTaken(onStandbyAsTool, async () => {
      await expect(ask(onStandby, 'select 1')).rejects.toMatchObject(LOCK_TABLE_IS_FULL);
      expect(await ask(onPrimary, `select count(*) from pg_locks where locktype = 'advisory'`)).toBe('0');
      await ask(onPrimary, `update public.clients set company_name = 'Renamed' where id = '${own.clients}'`);
    });
    await caughtUp();
    expect(await ask(onStandbyAsTool, 'select company_name from reporting.clients')).toBe('Renamed');
    expect(await ask(onStandby, 'select pg_postmaster_start_time()::text')).toBe(started);
  });

  test('a standby whose lock table a BI login filled stops when the primary locks a table; the primary serves, and nothing is lost', async () => {
    const started = await ask(onStandby, 'select pg_postmaster_start_time()::text');
    await whileLocksAreTaken(onStandbyAsTool, async (tool) => {
      const ended = new Promise((resolve) => tool.once('end', resolve));
      await withAdmin(onPrimary, (admin) =>
        admin.query('begin; lock table public.clients in access exclusive mode; commit'),
      );
      await ended;
      await ask(onPrimary, `update public.clients set company_name = 'Again' where id = '${own.clients}'`);
    });
    // The embedded server starts again by itself. A provider, or an operator, starts another server again.
    await caughtUp();
    expect(await ask(onStandby, 'select pg_postmaster_start_time()::text')).not.toBe(started);
    expect(await ask(onStandbyAsTool, 'select company_name from reporting.clients')).toBe('Again');
  });
});

describe('a BI login on the primary', () => {
  test('a BI login on the primary takes every lock with a single connection, and connection limit 0 would also refuse the login on the standby', async () => {
    await ask(onPrimary, `alter role ${LOGIN} connection limit 1`);
    await whileLocksAreTaken(onPrimaryAsTool, async () => {
      await expect(ask(onPrimary, 'select 1')).rejects.toMatchObject(LOCK_TABLE_IS_FULL);
    });
    await ask(onPrimary, `alter role ${LOGIN} connection limit 0`);
    await caughtUp();
    for (const url of [onPrimaryAsTool, onStandbyAsTool])
      await expect(ask(url, 'select 1')).rejects.toMatchObject({
        code: '53300',
      });
    await ask(onPrimary, `alter role ${LOGIN} connection limit -1`);
    await caughtUp();
  });

  test('a BI login that pg_hba.conf of the primary refuses still connects to the standby', async () => {
    const file = join(dataDirectory(ofPrimary), 'pg_hba.conf');
    await writeFile(file, `${blockOf('db/README.md', 'host all bi_acme')}${await readFile(file, 'utf8')}`);
    await ask(onPrimary, 'select pg_reload_conf()');
    expect(await ask(onPrimary, 'select count(error) from pg_hba_file_rules')).toBe('0');
    await expect(ask(onPrimaryAsTool, 'select 1')).rejects.toMatchObject({
      code: '28000',
    });
    expect(await ask(onStandbyAsTool, 'select company_name from reporting.clients')).toBe('Again');
  });
});
