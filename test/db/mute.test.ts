import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import { DatabaseUnavailable } from '../../src/db/errors.ts';
import { toRequestError } from '../../src/http/errors.ts';
import { connected, isPooled } from '../support/database.ts';
import { layLine } from '../support/line.ts';
import type { Line } from '../support/line.ts';
import { insert, openProbe, request, sql } from '../support/probe.ts';
import type { Probe } from '../support/probe.ts';
import { until } from '../support/upload.ts';

/*
 * This suite tests database connections on which no bytes arrive any more (mute connections). Without the service’s
 * time-outs, each request on a mute connection would wait forever.
 */

/** The bytes of the message ReadyForQuery, with which a Postgres server says that no transaction is open. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const OURS = `application_name like 'taxclaims-api%' and datname = current_database()`;

let line: Line;
let probe: Probe;

beforeEach(async () => {
  line = await layLine();
  probe = await openProbe({ statementTimeoutMs: 500, databaseUrl: (url) => line.via(url) });
});
afterEach(async () => {
  await probe.close();
  line.close();
});

/**
 * Each number gives a request of another caller, because a process runs only four transactions of one caller at once.
 */
const requestOf = (number: number) => request({ caller: { ...request().caller, subject: `idp|${String(number)}` } });

const unavailable = (work: Promise<unknown>) => expect(work).rejects.toBeInstanceOf(DatabaseUnavailable);

/**
 * Expects that the next request succeeds on a new database connection, and that the mute (silent) connection is closed.
 */
async function expectServed(stored: readonly number[]): Promise<void> {
  line.speak();
  await probe.database.run(request(), [insert(9)]);
  expect(await probe.stored()).toEqual([...stored, 9]);
  await until(() => line.open === 1);
}

describe('a mute database connection', () => {
  test('if a request’s database connection goes silent, the request fails, and its SQL statements are stored all or not at all', async () => {
    await probe.connection();
    line.mute();
    await unavailable(probe.database.run(request(), [insert(1), insert(2)]));
    await expectServed([]);
  });

  test('a write whose response is lost on the way fails with DatabaseUnavailable, although the database stored it', async () => {
    await probe.connection();
    const lost = line.muteAt(READY);
    await unavailable(probe.database.run(request(), [insert(1), insert(2)]));
    await lost;
    await expectServed([1, 2]);
  });

  test('if a database connection goes silent after Postgres has refused a statement, the request does not wait forever', async () => {
    await probe.connection();
    const lost = line.muteAt(READY);
    await unavailable(probe.database.run(request(), [insert(1), insert(1)]));
    await lost;
    await expectServed([]);
  });

  test('a streamed list fails if its database connection goes silent, before the first row or between two pages', async () => {
    await probe.connection();
    line.mute();
    await unavailable(probe.database.stream(request(), sql('select 1')));
    line.speak();
    const { pages } = await probe.database.stream(
      request(),
      sql(`select n, repeat('x', 1000) from generate_series(1, 2000) as n`),
    );
    line.mute();
    await unavailable(
      pages.forEach(() => {
        // The test first reads the bytes that had arrived before the connection went silent, so that the list stops
        // only because no new bytes arrive.
      }),
    );
    await expectServed([]);
  });

  test('a transaction whose database connection goes silent fails at its next statement and stores nothing', async () => {
    const work = probe.database.transaction(request(), async (run) => {
      await run(insert(1));
      line.mute();
      await run(insert(2));
    });
    await unavailable(work);
    await expectServed([]);
  });

  test('a transaction whose COMMIT gets no response fails, although the database stored the transaction', async () => {
    let lost: Promise<void> | undefined;
    const work = probe.database.transaction(request(), async (run) => {
      await run(insert(1));
      lost = line.muteAt(READY);
    });
    await unavailable(work);
    await lost;
    await expectServed([1]);
  });

  test('a transaction whose ROLLBACK gets no response fails, and the database stores nothing', async () => {
    const work = probe.database.transaction(request(), async (run) => {
      await run(insert(1));
      line.mute();
      throw new Error('changed its mind');
    });
    await unavailable(work);
    await expectServed([]);
  });

  test('a request that needs a new database connection fails if the server does not answer', async () => {
    line.mute();
    await unavailable(probe.database.run(request(), [insert(1)]));
    await expectServed([]);
  });

  test('if a changed prepared statement makes the service repeat a request, one time-out covers both attempts', async () => {
    const asked = sql('select * from public.probe');
    await probe.database.run(request(), [asked]);
    await probe.admin('alter table public.probe add column more integer');
    const lost = line.muteAt(READY);
    await unavailable(probe.database.run(request(), [asked]));
    await lost;
    await expectServed([]);
  });

  test('a service that closes its database pool ends requests whose database connection has gone silent', async () => {
    const patient = await openProbe({ statementTimeoutMs: 600_000, databaseUrl: (url) => line.via(url) });
    const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>();
    const underWay = patient.database.transaction(request(), async (run) => {
      await run(insert(1));
      line.mute();
      begin(undefined);
      await run(insert(2));
    });
    await begun;
    // Another request uses the only database connection, so the test’s second request waits until that connection is
    // free.
    const waiting = patient.database.run(request(), [insert(3)]);
    const refused = [unavailable(underWay), unavailable(waiting)];
    await patient.database.close(50);
    await Promise.all(refused);
    await until(() => line.open === 0);
    await patient.close();
  });

  test('a service that closes its connection pool also ends an idle database connection on which no bytes arrive any more', async () => {
    await probe.connection();
    line.mute();
    await probe.database.close();
    await until(() => line.open === 0);
  });
});

test('a database transaction whose code in the service never ends is rolled back, and its connection becomes free', async () => {
  const never = probe.database.transaction(request(), async (run) => {
    await run(insert(1));
    await new Promise(() => undefined);
  });
  await unavailable(never);
  await expectServed([]);
});

test('the service cancels a request that waits for a database lock before its statement time-out is set', async () => {
  const url = new URL(probe.postgres.apiUrl);
  const lone = openDatabase({
    ...{ url: url.href, poolSize: 1, statementTimeoutMs: 100, preparedStatements: true },
    log: pino({ level: 'silent' }),
  });
  // A request’s first SQL statement, which sets the server’s time-out, also reads the caller’s user from the table that
  // the test has locked.
  const held = probe.admin('begin; lock table public.users in access exclusive mode; select pg_sleep(4); commit');
  const locked = `select from pg_locks where relation = 'public.users'::regclass and granted and mode = 'AccessExclusiveLock'`;
  await until(async () => (await probe.admin(locked)).length === 1);
  await expect(lone.run(request(), [sql('select 1')])).rejects.toMatchObject({ code: '57014' });
  expect(await probe.admin(`select from pg_stat_activity where ${OURS} and wait_event_type = 'Lock'`)).toEqual([]);
  await held;
  await expect(lone.run(request(), [sql('select 1')])).resolves.toHaveLength(1);
  await lone.close();
});

describe('the queue for a database connection', () => {
  let crowded: Probe;
  beforeEach(async () => {
    crowded = await openProbe({ statementTimeoutMs: 500, maxWaiting: 8 });
    await crowded.connection();
  });
  afterEach(() => crowded.close());

  test('a full queue for a database connection refuses a new request at once, and serves the waiting requests', async () => {
    const holder = crowded.database.transaction(request(), async (run) => {
      await run(insert(1));
      const waiting = [2, 3, 4, 5, 6, 7, 8, 9].map((id) => crowded.database.run(requestOf(id), [insert(id)]));
      // All queued requests still wait, because the test’s transaction has the only database connection.
      await unavailable(crowded.database.run(requestOf(10), [insert(10)]));
      return { waiting: Promise.all(waiting) };
    });
    await (
      await holder
    ).waiting;
    expect(await crowded.stored()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('a request that waited too long for a database connection leaves the queue', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, id) => crowded.database.run(requestOf(id), [sql('select pg_sleep(60)')])),
    );
    const reasons = results.map((result) => (result.status === 'rejected' ? (result.reason as unknown) : undefined));
    expect(reasons[0]).toMatchObject({ code: '57014' });
    expect(reasons.at(-1)).toBeInstanceOf(DatabaseUnavailable);
    await crowded.database.run(request(), [insert(1)]);
  });
});

test('300 requests that wait for a locked table all fail with ERROR_UNAVAILABLE within two time-outs', async () => {
  const statementTimeoutMs = 3_000;
  const crowd = openDatabase({
    ...{ url: probe.postgres.apiUrl, poolSize: 2, maxWaiting: 300, statementTimeoutMs },
    ...{ preparedStatements: !isPooled(), log: pino({ level: 'silent' }) },
  });
  const owner = await connected(probe.postgres.adminUrl);
  await owner.query('begin; lock table public.probe in access exclusive mode');
  const begun = performance.now();
  const endings = await Promise.all(
    Array.from({ length: 300 }, (_, id) =>
      crowd.run(requestOf(id), [insert(id)]).then(
        () => ({ error: undefined, tookMs: performance.now() - begun }),
        (error: unknown) => ({ error, tookMs: performance.now() - begun }),
      ),
    ),
  );
  await owner.query('commit');
  await owner.end();
  const times = endings.map(({ tookMs }) => tookMs);
  expect(endings.map(({ error }) => toRequestError(error).code)).toEqual(
    Array.from({ length: 300 }, () => 'ERROR_UNAVAILABLE'),
  );
  // The requests that had a database connection from the start fail before the requests that waited for a connection.
  expect(Math.max(...times) / Math.min(...times)).toBeLessThan(1.8);
  await crowd.run(request(), [insert(1)]);
  expect(await probe.stored()).toEqual([1]);
  await crowd.close();
});

test('a streamed list waits for a locked table no longer than any other request does', async () => {
  const opened = (statementTimeoutMs: number) =>
    openDatabase({
      ...{ url: probe.postgres.apiUrl, poolSize: 1, statementTimeoutMs },
      ...{ preparedStatements: !isPooled(), log: pino({ level: 'silent' }) },
    });
  const [crowd, other] = [opened(4_000), opened(2_500)];
  const owner = await connected(probe.postgres.adminUrl);
  await owner.query('begin; lock table public.probe in access exclusive mode');
  const order: string[] = [];
  const ended = (what: string, work: Promise<unknown>) =>
    work.then(
      () => order.push(`${what} is served`),
      () => order.push(what),
    );
  const first = ended('the first', crowd.run(request(), [insert(1)]));
  const list = ended('the list', crowd.stream(request(), sql('select id from public.probe')));
  await first;
  // The streamed list has already waited for the connection of the first request, so only a little of the list’s time
  // remains. The later request, on another connection pool, still has its whole time.
  const later = ended('the later', other.run(request(), [insert(2)]));
  await Promise.all([list, later]);
  expect(order).toEqual(['the first', 'the list', 'the later']);
  await owner.query('commit');
  await owner.end();
  await Promise.all([crowd.close(), other.close()]);
});

test('a new database connection sends only user, database, application name and encoding, as a transaction pooler requires', async () => {
  const said: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      said.push(data);
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const database = openDatabase({
    url: `postgres://someone:secret@127.0.0.1:${(server.address() as AddressInfo).port}/claims`,
    ...{ poolSize: 1, statementTimeoutMs: 5_000, preparedStatements: true, log: pino({ level: 'silent' }) },
  });
  await unavailable(database.callAsLogin(sql('select 1')));
  const words = Buffer.concat(said).subarray(8).toString().split('\0').filter(Boolean);
  expect(words).toEqual([
    'user',
    'someone',
    'database',
    'claims',
    'application_name',
    'taxclaims-api',
    'client_encoding',
    'UTF8',
  ]);
  await database.close();
  server.close();
});
