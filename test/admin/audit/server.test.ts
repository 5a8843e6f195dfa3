import { expect, test } from '@jest/globals';
import { sampledByDay } from '../../support/day.ts';
import pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../../src/admin/deploy/migrate.ts';
import { startEmbeddedServer } from '../../../src/demo/postgres/server.ts';
import { asDatabase } from '../../support/database.ts';
import { folderForSuite, forSuite } from '../../support/suite.ts';

/*
 * Tests that audit.findings reports unsafe settings of a Postgres server. These tests start their own server, because
 * the other suites share one.
 */

interface Finding {
  readonly finding: string;
  readonly object: string;
  readonly remedy: string;
}

const log = pino({ level: 'silent' });
const login = { name: 'test_bi', password: 'bi' };

const dataDir = await folderForSuite();
const server = await forSuite(startEmbeddedServer({ dataDir, log, settings: { wal_level: 'logical' } }));
await migrate({ adminUrl: server.adminUrl, log });
await ask(`create role test_bi login password 'bi' in role taxclaims_reporting`);

test('on a new Postgres server, the view audit.findings reports no problem, and a reporting login cannot enter the databases postgres and template1', async () => {
  expect(await readFindings()).toEqual([]);
  for (const database of ['postgres', 'template1']) {
    await expect(ask('select 1', asDatabase(server.adminUrl, database, login))).rejects.toThrow(
      `permission denied for database "${database}"`,
    );
  }
  expect(await ask('select 1 as one', asDatabase(server.adminUrl, 'taxclaims', login))).toEqual([{ one: 1 }]);
});

const REPORTED = [
  { name: 'session_replication_role', value: 'replica', usual: 'origin', finding: 'setting_of_server' },
  { name: 'lo_compat_privileges', value: 'on', usual: 'off', finding: 'setting_of_server' },
  { name: 'session_preload_libraries', value: 'dict_snowball', usual: '', finding: 'setting_of_server' },
  { name: 'search_path', value: 'elsewhere, public', usual: '"$user", public', finding: 'setting_of_server' },
  { name: 'fsync', value: 'off', usual: 'on', finding: 'durability_off' },
];

test.each(sampledByDay(REPORTED))(
  'the view audit.findings reports the server setting $name = $value as unsafe, and offers SQL that resets the setting',
  async ({ name, value, usual, finding }) => {
    await alterSystem(name, value);
    await expectMended({ finding, object: name });
    await untilSet(name, usual);
    expect(await readFindings()).toEqual([]);
  },
);

test.each([
  { name: 'session_preload_libraries', value: 'auto_explain', usual: '' },
  { name: 'work_mem', value: '8192', usual: '4096' },
])(
  'the view audit.findings does not report the harmless server setting $name = $value',
  async ({ name, value, usual }) => {
    await alterSystem(name, value);
    expect(await readFindings()).toEqual([]);
    await ask(`alter system reset ${name}`);
    await untilSet(name, usual);
  },
);

test.each(['local', 'remote_write'])(
  'once the server has a standby, the view audit.findings reports synchronous_commit = %s as unsafe, and offers SQL that resets the setting',
  async (value) => {
    await alterSystem('synchronous_commit', value);
    expect(await readFindings()).toEqual([]);
    await alterSystem('synchronous_standby_names', 'a_standby');
    await expectMended({ finding: 'durability_off', object: 'synchronous_commit' });
    await untilSet('synchronous_commit', 'on');
    expect(await readFindings()).toEqual([]);
    await ask('alter system reset synchronous_standby_names');
    await untilSet('synchronous_standby_names', '');
  },
);

test('the view audit.findings reports a login whose sessions ignore triggers and foreign keys by default, and offers SQL that resets the setting', async () => {
  const url = asDatabase(server.adminUrl, 'taxclaims', login);
  await ask('alter role test_bi set session_replication_role = replica');
  expect(await ask('show session_replication_role', url)).toEqual([{ session_replication_role: 'replica' }]);
  await expectMended({ finding: 'setting_stored', object: 'test_bi' });
  expect(await ask('show session_replication_role', url)).toEqual([{ session_replication_role: 'origin' }]);
  expect(await readFindings()).toEqual([]);
});

test('the view audit.findings reports a replication slot, and offers no SQL that drops what its reader has not read', async () => {
  await ask(`select pg_create_logical_replication_slot('taken', 'pgoutput')`);
  const [finding, ...more] = await readFindings();
  expect([finding, more]).toEqual([
    { finding: 'replication', object: 'replication slot taken', remedy: expect.any(String) },
    [],
  ]);
  expect(finding?.remedy).not.toContain(';  --');
  expect(finding?.remedy).not.toMatch(/;$/);
  await ask(`select pg_drop_replication_slot('taken')`);
  expect(await readFindings()).toEqual([]);
});

/**
 * Expects that audit.findings reports the given problem and no other. Then runs each statement of the problem’s remedy
 * on its own, as psql does.
 */
async function expectMended(expected: Omit<Finding, 'remedy'>): Promise<void> {
  const [finding, ...more] = await readFindings();
  expect([finding, more]).toEqual([{ ...expected, remedy: expect.any(String) }, []]);
  for (const statement of (finding?.remedy ?? '').split(/;\s*/).filter((one) => one !== '')) await ask(statement);
}

const readFindings = (): Promise<readonly Finding[]> =>
  ask<Finding>('select finding, object, remedy from audit.findings');

async function alterSystem(name: string, value: string): Promise<void> {
  await ask(`alter system set ${name} = ${value}`);
  await untilSet(name, value);
}

/** Makes the Postgres server read its changed configuration file, and waits until the setting has the given value. */
async function untilSet(name: string, value: string): Promise<void> {
  await ask('select pg_reload_conf()');
  const end = Date.now() + 20_000;
  while ((await ask(`select 1 from pg_settings where name = $$${name}$$ and setting = $$${value}$$`)).length === 0) {
    if (Date.now() > end) throw new Error(`the server did not read ${name} = ${value}`);
  }
}

/** Runs a query on a new connection, whose session begins with the server’s present settings. */
async function ask<Row extends pg.QueryResultRow>(sql: string, url = server.adminUrl): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
