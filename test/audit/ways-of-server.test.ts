import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../src/db/deploy/migrate.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/postgres/server.ts';
import { asDatabase } from '../support/database.ts';
import { createScratchFolder } from '../support/scratch.ts';

interface Finding {
  readonly finding: string;
  readonly object: string;
  readonly remedy: string;
}

const log = pino({ level: 'silent' });

describe('a server of one’s own', () => {
  let dataDir: string;
  let server: EmbeddedServer;

  beforeAll(async () => {
    dataDir = await createScratchFolder();
    server = await startEmbeddedServer({ dataDir, log, settings: { wal_level: 'logical' } });
    await migrate({ adminUrl: server.adminUrl, log });
  });

  afterAll(async () => {
    await server.stop();
    await rm(dataDir, { recursive: true });
  });

  /** On a connection of its own, which begins with what the server has by then. */
  async function ask<Row extends pg.QueryResultRow>(sql: string, url = server.adminUrl): Promise<readonly Row[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  const found = (): Promise<readonly Finding[]> => ask<Finding>('select finding, object, remedy from audit.findings');

  /** Tells the server to read its files, and waits until it has: it does so a moment later. */
  async function reload(name: string, value: string): Promise<void> {
    await ask('select pg_reload_conf()');
    const end = Date.now() + 20_000;
    while ((await ask(`select 1 from pg_settings where name = $$${name}$$ and setting = $$${value}$$`)).length === 0) {
      if (Date.now() > end) throw new Error(`the server has not heard of ${name} = ${value}`);
    }
  }

  test('has no finding: nobody but the superuser enters the databases that come with Postgres', async () => {
    expect(await found()).toEqual([]);
    await ask(`create role test_bi login password 'bi' in role taxclaims_reporting`);
    const login = { name: 'test_bi', password: 'bi' };
    for (const database of ['postgres', 'template1']) {
      await expect(ask('select 1', asDatabase(server.adminUrl, database, login))).rejects.toThrow(
        `permission denied for database "${database}"`,
      );
    }
    expect(await ask('select 1 as one', asDatabase(server.adminUrl, 'taxclaims', login))).toEqual([{ one: 1 }]);
  });

  test.each([
    ['session_replication_role', 'replica', 'origin'],
    ['lo_compat_privileges', 'on', 'off'],
    ['session_preload_libraries', 'dict_snowball', ''],
    ['search_path', 'elsewhere, public', '"$user", public'],
  ])('whose file sets %s is found, and mended by the remedy', async (name, value, usual) => {
    await ask(`alter system set ${name} = ${value}`);
    await reload(name, value);
    const [finding, ...more] = await found();
    expect([finding, more]).toEqual([
      { finding: 'setting_of_server', object: name, remedy: expect.stringMatching(/^alter system /) },
      [],
    ]);
    // One by one: the first is refused in a transaction.
    for (const statement of (finding?.remedy ?? '').split('; ')) await ask(statement);
    await reload(name, usual);
    expect(await found()).toEqual([]);
  });

  test.each([
    ['session_preload_libraries', 'auto_explain', ''],
    ['work_mem', '8192', '4096'],
  ])('whose file sets %s to what is harmless has no finding', async (name, value, usual) => {
    await ask(`alter system set ${name} = ${value}`);
    await reload(name, value);
    expect(await found()).toEqual([]);
    await ask(`alter system reset ${name}`);
    await reload(name, usual);
  });

  test.each(['local', 'remote_write'])(
    'that commits with %s is found once it has standbys, and mended by the remedy',
    async (value) => {
      await ask(`alter system set synchronous_commit = ${value}`);
      await reload('synchronous_commit', value);
      expect(await found()).toEqual([]);
      await ask(`alter system set synchronous_standby_names = 'a_standby'`);
      await reload('synchronous_standby_names', 'a_standby');
      const [finding, ...more] = await found();
      expect([finding, more]).toEqual([
        {
          ...{ finding: 'durability_off', object: 'synchronous_commit' },
          remedy: expect.stringMatching(/^alter system /),
        },
        [],
      ]);
      for (const statement of (finding?.remedy ?? '').split('; ')) await ask(statement);
      await reload('synchronous_commit', 'on');
      expect(await found()).toEqual([]);
      await ask('alter system reset synchronous_standby_names');
      await reload('synchronous_standby_names', '');
    },
  );

  test('whose login begins without triggers and foreign keys is found, and it does begin so', async () => {
    const url = asDatabase(server.adminUrl, 'taxclaims', { name: 'test_bi', password: 'bi' });
    await ask('alter role test_bi set session_replication_role = replica');
    expect(await ask('show session_replication_role', url)).toEqual([{ session_replication_role: 'replica' }]);
    const [finding, ...more] = await found();
    expect([finding, more]).toEqual([{ finding: 'setting_stored', object: 'test_bi', remedy: expect.any(String) }, []]);
    await ask(finding?.remedy ?? '');
    expect(await ask('show session_replication_role', url)).toEqual([{ session_replication_role: 'origin' }]);
    expect(await found()).toEqual([]);
  });

  test('that keeps every change for somebody is found, and mended by the remedy', async () => {
    await ask(`select pg_create_logical_replication_slot('taken', 'pgoutput')`);
    const [finding, ...more] = await found();
    expect([finding, more]).toEqual([
      { finding: 'replication', object: 'replication slot taken', remedy: expect.any(String) },
      [],
    ]);
    await ask(finding?.remedy ?? '');
    expect(await found()).toEqual([]);
  });
});
