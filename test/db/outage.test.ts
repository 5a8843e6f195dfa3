import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import { DatabaseUnavailable } from '../../src/db/errors.ts';
import { asDatabase } from '../support/database.ts';
import { CLEAN, insert, openProbe, request, sql } from '../support/probe.ts';
import type { Probe } from '../support/probe.ts';

let probe: Probe;

beforeEach(async () => {
  probe = await openProbe();
});

afterEach(() => probe.close());

const visible = sql('select id from public.probe order by id');

describe('a lost database connection', () => {
  test('a request whose database connection is lost fails with DatabaseUnavailable, and the next request succeeds', async () => {
    const lost = probe.database.run(request(), [insert(1), sql('select pg_sleep(60)'), insert(2)]);
    const refused = Promise.all([
      expect(lost).rejects.toBeInstanceOf(DatabaseUnavailable),
      expect(lost).rejects.toMatchObject({ cause: { code: '57P01' } }),
    ]);
    await probe.until(`wait_event = 'PgSleep'`);
    await probe.terminate();
    await refused;
    expect(await probe.stored()).toEqual([]);
    await probe.database.run(request(), [insert(3)]);
    expect((await probe.connection()).state).toEqual(CLEAN);
  });
});

describe('an outage of the database', () => {
  const at = (address: string) => ({
    url: address,
    poolSize: 1,
    statementTimeoutMs: 1_000,
    preparedStatements: true,
    log: pino({ level: 'silent' }),
  });

  test('requests fail with DatabaseUnavailable during an outage, and succeed after the outage without a restart', async () => {
    await probe.connection();
    await probe.admin(`alter database ${probe.postgres.name} connection limit 0`);
    await probe.terminate();
    await expect(probe.database.run(request(), [visible])).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect(probe.database.callAsLogin(sql('select 1'))).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect(probe.database.transaction(request(), (run) => run(visible))).rejects.toBeInstanceOf(
      DatabaseUnavailable,
    );
    await probe.admin(`alter database ${probe.postgres.name} connection limit -1`);
    await expect(probe.database.run(request(), [visible])).resolves.toHaveLength(1);
  });

  test.each([
    ['no server listens at the address', 'postgres://nobody@127.0.0.1:1/none'],
    ['the host does not exist', 'postgres://nobody@host.invalid/none?sslmode=disable'],
  ])('a request fails with DatabaseUnavailable if %s', async (_case, address) => {
    const database = openDatabase(at(address));
    await expect(database.callAsLogin(sql('select 1'))).rejects.toBeInstanceOf(DatabaseUnavailable);
    await database.close();
  });

  test('a request fails with DatabaseUnavailable if the database does not exist', async () => {
    const database = openDatabase(at(asDatabase(probe.postgres.apiUrl, 'no_such_database')));
    await expect(database.callAsLogin(sql('select 1'))).rejects.toBeInstanceOf(DatabaseUnavailable);
    await database.close();
  });
});

test('when the service closes its database pool, the running request completes and new requests are refused', async () => {
  const last = probe.database.run(request(), [sql('select pg_sleep(1)'), insert(1)]);
  await probe.until(`wait_event = 'PgSleep'`);
  const closed = probe.database.close();
  await expect(probe.database.callAsLogin(sql('select 1'))).rejects.toBeInstanceOf(DatabaseUnavailable);
  await expect(last).resolves.toHaveLength(2);
  await closed;
  expect(await probe.stored()).toEqual([1]);
});
