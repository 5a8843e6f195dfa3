import { describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { connected, createTestDatabase, withAdmin } from '../support/database.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import { forSuite } from '../support/suite.ts';

/** More bytes than Postgres writes to the write-ahead log for a harmless statement, and fewer than for a harmful one. */
const SOME_BYTES = 1_000_000;

const database = await forSuite(createTestDatabase());
const login = await forSuite(createReportingLogin(database));
const tool = await forSuite(connected(login.url));
const admin = await forSuite(connected(database.adminUrl));
const { rows: counting } = await admin.query(`select from pg_proc where proname = 'pg_stat_get_backend_wal'`);
const counts = counting.length > 0;

/**
 * Runs the work, and returns how many bytes the session has written to the write-ahead log meanwhile. Before Postgres 18
 * the server counts only the bytes of all sessions: the function then returns 0 for a session.
 */
async function writtenBy(session: pg.Client, work: () => Promise<unknown>): Promise<number> {
  const written = async (): Promise<number> => {
    await session.query('select pg_stat_force_next_flush()');
    const pid = (await session.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
    const { rows } = await admin.query<{ bytes: string }>(
      'select wal_bytes as bytes from pg_stat_get_backend_wal($1)',
      [pid],
    );
    return Number(rows[0]?.bytes);
  };
  if (!counts) {
    await work();
    return 0;
  }
  const before = await written();
  await work();
  return (await written()) - before;
}

describe('the write-ahead log, while a reporting login tries to fill it', () => {
  test.each([
    `select sum(pg_logical_emit_message(false, 'x', repeat('x', 1000000)) - '0/0') from generate_series(1, 32)`,
    `select sum(pg_logical_emit_message(true, 'x', repeat('x', 1000000)) - '0/0') from generate_series(1, 32)`,
    `select sum(pg_logical_emit_message(false, 'x', convert_to(repeat('x', 1000000), 'UTF8')) - '0/0') from generate_series(1, 32)`,
    `select lo_from_bytea(0, convert_to(repeat('x', 32000000), 'UTF8'))`,
    'select pg_export_snapshot() from generate_series(1, 1000)',
    `create temp table own as select repeat('x', 32000000)`,
    `select repeat('x', 32000000) into own`,
    `select setval('audit.acceptances_id_seq', n) from generate_series(1, 1000000) as n`,
    'select id from reporting.clients for update',
    'select pg_switch_wal()',
    `select pg_create_restore_point('own')`,
    `select pg_replication_origin_create('own')`,
    `select pg_create_physical_replication_slot('own', true)`,
    `select pg_create_logical_replication_slot('own', 'pgoutput')`,
    'select pg_log_standby_snapshot()',
    `comment on database ${database.name} is 'own'`,
  ])('Postgres refuses a reporting login the statement: %s', async (sql) => {
    const written = await writtenBy(tool, () =>
      expect(tool.query(sql)).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|42883|55000|3F000)$/) }),
    );
    expect(written).toBeLessThan(SOME_BYTES);
  });

  test('a login that may run pg_logical_emit_message fills the write-ahead log in one statement of a read-only session', async () => {
    const sql = `select sum(pg_logical_emit_message(false, 'x', repeat('x', 1000000)) - '0/0') from generate_series(1, 32)`;
    await withAdmin(database.adminUrl, async (superuser) => {
      await superuser.query('set default_transaction_read_only = on');
      const written = await writtenBy(superuser, () => superuser.query(sql));
      expect(written > 32_000_000).toBe(counts);
    });
  });

  test('a reporting login writes less than a megabyte to the write-ahead log by NOTIFY, a new transaction id or its own settings', async () => {
    for (const sql of [
      `select pg_notify('own', repeat('x', 7999))`,
      'select txid_current()',
      `alter role ${login.name} set work_mem = '1MB'`,
      `alter default privileges grant select on tables to public`,
      `alter default privileges revoke select on tables from public`,
    ]) {
      expect([sql, (await writtenBy(tool, () => tool.query(sql))) < SOME_BYTES]).toEqual([sql, true]);
    }
  });
});
