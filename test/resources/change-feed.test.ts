import { randomUUID } from 'node:crypto';
import { request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { endpoint } from '../../src/http/endpoint.ts';
import { ROLES } from '../../src/identity/caller.ts';
import { bounded } from '../support/bounded.ts';
import { person } from '../support/people.ts';
import { make } from '../support/rows.ts';
import { expectError, expectInvalid, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';

/* This suite tests GET /api/changes, the changes of records after a position, as a list or as a stream of events. */

const SOON = { readMs: 10, lookMs: 10 } as const;

const service = await forSuite(startService({ changeStreams: SOON }));
const { postgres } = service;
const beating = await forSuite(startService({ postgres, changeStreams: { ...SOON, beatMs: 20 } }));
const narrow = await forSuite(startService({ postgres, changeStreams: { streams: 3, ofAUser: 2 } }));

/**
 * An endpoint whose event stream sends data without end. The test’s caller reads nothing, so the service must abort the
 * stream.
 */
const brokenOff = Promise.withResolvers<boolean>();
const flooded = { text: `: ${'x'.repeat(500_000)}\n\n`, hasChanges: true, hasMore: true };
const flood = endpoint({
  ...{ method: 'get', path: '/api/changes', tag: 'Changes', summary: 'Flood', resource: 'audit_logs' },
  roles: ROLES,
  handle: (_input, { changes: streams, incoming, state }) => {
    incoming.res?.once('close', () => {
      brokenOff.resolve(incoming.res?.writableFinished === false);
    });
    return Promise.resolve(streams.openStream(incoming, state, flooded, () => Promise.resolve(flooded)));
  },
});
const flooding = await forSuite(startService({ postgres, endpoints: [flood], changeStreams: { stallMs: 50 } }));

/** Database sessions whose transactions the tests begin and commit themselves. */
const sessions = await Promise.all(
  Array.from({ length: 6 }, async () => {
    const client = new pg.Client({ connectionString: postgres.adminUrl });
    await client.connect();
    return forSuite(client);
  }),
);
const [slow, quick] = sessions as [pg.Client, pg.Client];

const [own, foreign] = [await service.furnishedTenant('Own'), await service.furnishedTenant('Foreign')];
const manager = await service.token('ACCOUNT_MANAGER', [own.clients]);

interface Change {
  readonly resource: string;
  readonly id: string;
  readonly client_id: string | null;
  readonly kind: string;
}

interface Answer {
  readonly changes: readonly Change[];
  readonly next: string;
  readonly more: boolean;
}

async function changes(after?: string, token = manager): Promise<Answer> {
  const query = after === undefined ? '' : `?after=${after}`;
  const answer = await service.ask(`GET /api/changes${query}`, { token });
  expect(answer.status).toBe(200);
  return answer.json as Answer;
}

/** Reads all pages of GET /api/changes after a position, and returns all their changes with the last position. */
async function allBehind(place: string): Promise<Answer> {
  const answer = await changes(place);
  if (!answer.more) return answer;
  const rest = await allBehind(answer.next);
  return { ...rest, changes: [...answer.changes, ...rest.changes] };
}

const named = ({ changes: feed }: Answer): string[] => feed.map(({ kind, id }) => `${kind} ${id}`);

async function siteOf(client: string): Promise<string> {
  const id = randomUUID();
  await make(service, 'sites', { id, client_id: client });
  return id;
}

const insertion = (id: string): string =>
  `insert into public.sites (id, client_id, site_name) values ('${id}', '${own.clients}', 'Dépôt')`;

/** The longest time in milliseconds that a test waits for the end of a change stream that would otherwise never end. */
const STREAM_WAIT_MS = 20_000;

class Stream {
  readonly response: IncomingMessage;
  text = '';
  #heard = (): void => undefined;
  readonly #ended: Promise<void>;

  constructor(response: IncomingMessage) {
    this.response = response;
    this.#ended = new Promise((resolve) => response.once('close', resolve));
    response.on('error', () => undefined);
    response.on('data', (piece: Buffer) => {
      this.text += piece.toString();
      this.#heard();
    });
  }

  /**
   * Resolves once the events that the test has received from a change stream match the pattern.
   * @throws Error if the stream ends before that
   */
  async until(sought: string | RegExp): Promise<void> {
    const isThere = (): boolean => (typeof sought === 'string' ? this.text.includes(sought) : sought.test(this.text));
    while (!isThere()) {
      if (this.response.closed) throw new Error(`the stream ended without ${String(sought)}: ${this.text}`);
      const heard = new Promise<void>((resolve) => (this.#heard = resolve));
      await bounded(Promise.race([this.#ended, heard]), STREAM_WAIT_MS);
    }
  }

  untilEnded(): Promise<void> {
    return bounded(this.#ended, STREAM_WAIT_MS);
  }

  get lastId(): string {
    return [...this.text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? '';
  }

  close(): void {
    this.response.destroy();
  }
}

const openStreams: Stream[] = [];
afterEach(() => {
  for (const stream of openStreams.splice(0)) stream.close();
});

function open(token: string, { after = '', headers = {}, of = service } = {}): Promise<Stream> {
  const path = `/api/changes${after === '' ? '' : `?after=${after}`}`;
  return new Promise((resolve, reject) => {
    const asked = send({
      ...{ port: of.port, host: '127.0.0.1', path, agent: false },
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers },
    });
    asked.once('error', reject);
    asked.once('response', (response) => {
      const stream = new Stream(response);
      openStreams.push(stream);
      resolve(stream);
    });
    asked.end();
  });
}

test('a reader of GET /api/changes gets a creation, a change and a deletion once each and in order', async () => {
  const { next: before } = await changes();
  const { json } = await service.ask('POST /api/sites', {
    token: manager,
    body: { client_id: own.clients, site_name: 'Entrepôt' },
  });
  const { id } = json as { readonly id: string };
  await service.ask(`PUT /api/sites/${id}`, { token: manager, body: { client_id: own.clients, site_name: 'A' } });
  await service.ask(`DELETE /api/sites/${id}`, { token: manager });
  const feed = await changes(before);
  expect(named(feed)).toEqual([`created ${id}`, `changed ${id}`, `deleted ${id}`]);
  expect(feed.changes[0]).toMatchObject({ resource: 'sites', client_id: own.clients });
  expect(named(await changes(feed.next))).toEqual([]);
});

test('GET /api/changes returns the changes of a transaction once it commits, and an open transaction delays no other changes', async () => {
  const [early, late] = [randomUUID(), randomUUID()];
  const { next: before } = await changes();
  await slow.query('begin');
  await slow.query(insertion(early));
  await quick.query(insertion(late));
  const first = await changes(before);
  expect(named(first)).toEqual([`created ${late}`]);
  await slow.query('commit');
  const second = await changes(first.next);
  expect(named(second)).toEqual([`created ${early}`]);
  expect(named(await changes(second.next))).toEqual([]);
});

test('a reader of GET /api/changes gets each change exactly once while six database sessions write', async () => {
  const written = new Set<string>();
  const { next: before } = await changes();
  const write = async (client: pg.Client): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) {
      const ids = [randomUUID(), randomUUID()];
      await client.query('begin');
      for (const id of ids) await client.query(insertion(id));
      await client.query(turn === 2 ? 'rollback' : 'commit');
      if (turn !== 2) ids.forEach((id) => written.add(id));
    }
  };
  const receivedIds: string[] = [];
  let isOver = false;
  const listen = async (): Promise<void> => {
    for (let place = before, isLast = false; !isLast; ) {
      isLast = isOver;
      const answer = await changes(place);
      receivedIds.push(...answer.changes.map(({ id }) => id));
      place = answer.next;
    }
  };
  const listening = listen();
  await Promise.all(sessions.map(write));
  isOver = true;
  await listening;
  expect(receivedIds.toSorted()).toEqual([...written].toSorted());
});

test('a reader of GET /api/changes gets each change once even if more database transactions are open than a position can name', async () => {
  const [{ definition = '' } = {}] = await service.sql`
    select pg_get_functiondef('app.next_changes(text, bigint)'::regprocedure) as definition`;
  const listingTwo = String(definition).replace(/(max_listed constant integer := )50;/, '$12;');
  expect(listingTwo).not.toBe(definition);
  await service.admin(listingTwo);
  try {
    const written = sessions.map(() => randomUUID());
    let { next: place } = await changes();
    for (const [index, session] of sessions.entries()) {
      await session.query('begin');
      await session.query(insertion(written[index] ?? ''));
    }
    const receivedIds: string[] = [];
    for (const session of sessions.toReversed()) {
      await session.query('commit');
      const answer = await changes(place);
      receivedIds.push(...answer.changes.map(({ id }) => id));
      place = answer.next;
    }
    expect(receivedIds.toSorted()).toEqual(written.toSorted());
  } finally {
    await service.admin(String(definition));
  }
});

test('app.build_seen_snapshot marks as read all transactions below a bound except running ones, and later ones only if they were read before', async () => {
  const rows = await service.sql`
    with cases as (
        select
            5 + n % 17 as xmax,
            3 + n % 23 as upto,
            array(select id from generate_series(3, 4 + n % 17) as id where hashint4(n * 100 + id) % 3 = 0) as running,
            array(select id::bigint from generate_series(3, 25) as id where hashint4(-n * 100 - id) % 3 = 0) as writing
        from generate_series(1, 17 * 23) as n
    ),
    snapshots as (
        select
            upto, writing,
            format('%s:%s:%s', coalesce(running[1], xmax), xmax, array_to_string(running, ','))::pg_snapshot as before
        from cases
    )
    select
        pg_visible_in_snapshot(id::text::xid8, app.build_seen_snapshot(before, upto, writing)::pg_snapshot) as is_shown,
        case when id < upto then id <> all (writing) else pg_visible_in_snapshot(id::text::xid8, before) end as is_expected
    from snapshots
    cross join generate_series(1, 30) as id`;
  expect(rows).toHaveLength(17 * 23 * 30);
  expect(rows.filter(({ is_shown: isShown, is_expected: isExpected }) => isShown !== isExpected)).toEqual([]);
});

test('a transaction with 2,500 records is read from GET /api/changes in parts, each record once', async () => {
  const { next: before } = await changes();
  await quick.query(
    `insert into public.sites (client_id, site_name) select '${own.clients}', 'x' from generate_series(1, 2500)`,
  );
  expect((await changes(before)).more).toBe(true);
  const receivedIds = (await allBehind(before)).changes.map(({ id }) => id);
  expect([receivedIds.length, new Set(receivedIds).size]).toEqual([2500, 2500]);
  await quick.query(`delete from public.sites where site_name = 'x'`);
});

test('a caller with a list of clients reads only the changes of those clients’ records, and an ADMIN of all clients reads all', async () => {
  const { next: before } = await changes();
  const [mine, other] = [await siteOf(own.clients), await siteOf(foreign.clients)];
  await service.sql`delete from public.sites where id = any (${[mine, other]}::uuid[])`;
  for (const role of ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const)
    expect(named(await changes(before, await service.token(role, [own.clients])))).toEqual([
      `created ${mine}`,
      `deleted ${mine}`,
    ]);
  expect(named(await changes(before, await service.token('ADMIN')))).toContain(`deleted ${other}`);
});

test('a CLIENT reads no changes of bills and partners, and the firm’s staff also read that a partner was deleted', async () => {
  const admin = await service.token('ADMIN', [own.clients]);
  const { next: before } = await changes();
  const { json } = await service.ask('POST /api/partners', {
    token: admin,
    body: { name: 'Cabinet Dubois', client_ids: [own.clients] },
  });
  const { id } = json as { readonly id: string };
  await service.ask(`DELETE /api/partners/${id}`, { token: admin });
  await service.sql`update public.partner_invoices set number = 'F-2' where id = ${own.partner_invoices}`;
  const of = async (role: 'CLIENT' | 'TAX_SPECIALIST' | 'ACCOUNT_MANAGER', client = own.clients) =>
    (await changes(before, await service.token(role, [client]))).changes.map(
      ({ resource, kind }) => `${resource} ${kind}`,
    );
  expect(await of('CLIENT')).toEqual([]);
  expect(await of('TAX_SPECIALIST')).toEqual(expect.arrayContaining(['partners deleted', 'client_partners deleted']));
  expect(await of('TAX_SPECIALIST')).not.toContain('partner_invoices changed');
  expect(await of('ACCOUNT_MANAGER')).toContain('partner_invoices changed');
  expect(await of('ACCOUNT_MANAGER', foreign.clients)).toEqual([]);
});

test('a CLIENT reads the changes of a note until the note becomes internal, and no changes of internal notes', async () => {
  const [seen, internal, taken, shown] = await Promise.all(
    [false, true, false, true].map(async (isInternal) => {
      const { json } = await service.ask(`POST /api/reclamations/${own.reclamations}/notes`, {
        token: manager,
        body: { text: 'Appeler la mairie', internal: isInternal },
      });
      return (json as { readonly id: string }).id;
    }),
  );
  const { next: before } = await changes();
  const put = (id: string | undefined, body: object) => service.ask(`PUT /api/notes/${id}`, { token: manager, body });
  const remove = (id: string | undefined) => service.ask(`DELETE /api/notes/${id}`, { token: manager });
  for (const id of [seen, internal]) await put(id, { text: 'Rappeler' });
  for (const id of [seen, internal]) await remove(id);
  await put(taken, { internal: true });
  await remove(taken);
  await put(shown, { internal: false });
  const ownClient = await service.token('CLIENT', [own.clients]);
  expect(named(await changes(before, ownClient))).toEqual([
    `changed ${seen}`,
    `deleted ${seen}`,
    `changed ${taken}`,
    `changed ${shown}`,
  ]);
  expect(named(await changes(before))).toEqual([
    ...[`changed ${seen}`, `changed ${internal}`, `deleted ${seen}`, `deleted ${internal}`],
    ...[`changed ${taken}`, `deleted ${taken}`, `changed ${shown}`],
  ]);
});

test('the change of a user appears in GET /api/changes only for callers who are allowed to read that user', async () => {
  const { id, token } = await person(service, 'TAX_SPECIALIST', [own.clients]);
  const other = await person(service, 'TAX_SPECIALIST', [foreign.clients]);
  const { next: before } = await changes();
  await service.sql`update public.users set name = 'Ada' where id = any (${[id, other.id]}::uuid[])`;
  expect(named(await changes(before))).toEqual([`changed ${id}`]);
  expect(named(await changes(before, token))).toEqual([`changed ${id}`]);
  expect(named(await changes(before, await service.token('CLIENT', [own.clients])))).toEqual([]);
});

test.each([
  ['that has a wrong form', 'x'],
  ['whose snapshot has no list of transactions', '1.2.3:3'],
  ['whose snapshot begins after its end', '1.2.5:3:'],
  ['with a transaction number 0', '1.2.0:3:'],
  ['with a transaction after the end of its snapshot', '1.2.3:9:9'],
  ['with transactions out of order', '1.2.3:9:5,4'],
  ['with 101 transactions', `1.2.3:999:${Array.from({ length: 101 }, (_, index) => index + 3).join()}`],
])('GET /api/changes with an invalid position, such as one %s, gets 400', async (_which, place) => {
  const after = Buffer.from(place).toString('base64url');
  const answer = await service.ask(`GET /api/changes?after=${after}`, { token: manager });
  expectInvalid(answer, ['after']);
});

test('GET /api/changes, as a list or as a stream, refuses a position that lies in the future with 400', async () => {
  const [start = '', time = '', snapshot = ''] = Buffer.from((await changes()).next, 'base64url')
    .toString()
    .split('.');
  const [, next = ''] = snapshot.split(':');
  const later = BigInt(next) + 1_000_000n;
  const record = `${time}.${randomUUID()}`;
  const places = [
    `${start}.${time}.1:999999999999999999:`,
    `${start}.${time}.${String(later)}:${String(later)}:`,
    `${start}.${time}.${snapshot}.${String(later)}.${record}`,
    `${start}.${String(BigInt(time) * 2n)}.${snapshot}`,
  ];
  for (const place of places) {
    const after = Buffer.from(place).toString('base64url');
    expectInvalid(await service.ask(`GET /api/changes?after=${after}`, { token: manager }), ['after']);
    const headers = { accept: 'text/event-stream', 'last-event-id': after };
    expectInvalid(await service.ask('GET /api/changes', { token: manager, headers }), ['Last-Event-ID']);
  }
});

describe('a read of at most 100 of 20,000 changes', () => {
  /** Counts the pages of memory that Postgres reads to find the changes after a position. */
  const pagesRead = async (place: string): Promise<number> => {
    let pages = NaN;
    for (let turn = 0; turn < 2; turn += 1) {
      const { rows } = await quick.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json) select from app.changed_clients('${place}', 100)`,
      );
      const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
      pages = (plan['Shared Hit Blocks'] ?? NaN) + (plan['Shared Read Blocks'] ?? NaN);
    }
    return pages;
  };
  const insertMany = `insert into public.sites (client_id, site_name)
    select '${own.clients}', 'many' from generate_series(1, 5000)`;
  let start = '';
  let time = '';
  let first = 0n;
  let next = 0n;
  const readPlace = async () => {
    const parts = Buffer.from((await changes()).next, 'base64url')
      .toString()
      .split('.');
    return { start: parts[0] ?? '', time: parts[1] ?? '', next: BigInt(parts[2]?.split(':')[1] ?? '') };
  };

  beforeAll(async () => {
    ({ start, time, next: first } = await readPlace());
    for (let turn = 0; turn < 3; turn += 1) await quick.query(insertMany);
    ({ next } = await readPlace());
    await slow.query('begin');
    await slow.query(insertMany);
  });
  afterAll(async () => {
    await slow.query('rollback');
    await quick.query(`delete from public.sites where site_name = 'many'`);
  });

  test.each([
    ['after everything except one old open transaction', () => `${start}.${time}.1:${next}:1`],
    ['after everything while 5,000 changes are not committed', () => `${start}.${time}.${next}:${next}:`],
    ['before all changes', () => `${start}.${time}.1:1:`],
    ['after all transactions except two large ones', () => `${start}.${time}.${first}:${next}:${first},${first + 1n}`],
    [
      'in the middle of a large transaction',
      () => `${start}.${time}.${first}:${first}:.${first}.${time}.${randomUUID()}`,
    ],
    ['from another Postgres server, with the time of the first change', () => `0.${time}.1:${next}:`],
  ])(
    'the read of 100 of 20,000 changes after a position %s touches fewer than 100 memory pages of the database',
    async (_which, place) => {
      expect(await pagesRead(place())).toBeLessThan(100);
    },
  );
});

test('GET /api/changes after a position older than the audit log gets 400 with the code expired', async () => {
  const { next } = await changes();
  const [start, , snapshot] = Buffer.from(next, 'base64url').toString().split('.');
  const before = Buffer.from(`${start}.1577836800000000.${snapshot}`).toString('base64url');
  const answer = await service.ask(`GET /api/changes?after=${before}`, { token: manager });
  expectInvalid(answer, ['after']);
  expect(answer.text).toContain('"code":"expired"');
});

test('GET /api/changes after a position from before a restart of Postgres misses no change', async () => {
  const id = await siteOf(own.clients);
  const { next } = await changes();
  const [, ...rest] = Buffer.from(next, 'base64url').toString().split('.');
  const elsewhere = Buffer.from(['0', ...rest].join('.')).toString('base64url');
  expect(named(await allBehind(elsewhere))).toContain(`created ${id}`);
});

test('a stream of GET /api/changes sends each change, and a new stream continues after the event that Last-Event-ID names', async () => {
  const stream = await open(manager, { after: (await changes()).next });
  expect(stream.response.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  const first = await siteOf(own.clients);
  await stream.until(first);
  await stream.until(/\nid: .+\n\n$/);
  const { lastId } = stream;
  stream.close();
  await stream.untilEnded();
  const missed = await siteOf(own.clients);
  await siteOf(foreign.clients);
  const again = await open(manager, { headers: { 'last-event-id': lastId } });
  await again.until(missed);
  const feed = [...again.text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data) as Change);
  expect(feed.map(({ id }) => id)).toEqual([missed]);
  expect(again.text).not.toContain('event: place');
});

test('a browser that reconnects to the address of its first change stream misses and repeats no change', async () => {
  const { next: after } = await changes();
  const told = await siteOf(own.clients);
  const { next: lastId } = await changes();
  const missed = await siteOf(own.clients);
  const stream = await open(manager, { after, headers: { 'last-event-id': lastId } });
  await stream.until(missed);
  expect(stream.text).not.toContain(told);
});

test('the change stream of a CLIENT sends nothing after an internal note and after a change of another tenant', async () => {
  const stream = await open(await service.token('CLIENT', [own.clients]));
  await stream.until(/^id: /m);
  const before = stream.text;
  const path = `POST /api/reclamations/${own.reclamations}/notes`;
  for (let count = 0; count < 3; count += 1)
    await service.ask(path, { token: manager, body: { text: 'Entre nous', internal: true } });
  await siteOf(foreign.clients);
  const seen = await siteOf(own.clients);
  await stream.until(seen);
  const rest = stream.text.slice(before.length);
  expect(rest).not.toContain('beat');
  expect(rest.match(/^data: /gm)).toHaveLength(1);
});

test('a change stream sends its position first, and comments while nothing changes', async () => {
  const token = await beating.token('CLIENT', [own.clients]);
  const stream = await open(token, { of: beating });
  await stream.until(/^event: place\ndata: \{"next":"(.+)"\}\nid: \1\n\n(?:: beat\n\n){3}/);
});

test('a change stream ends when its caller becomes inactive, even if nothing else is written', async () => {
  const { id, token } = await person(service, 'TAX_SPECIALIST', [own.clients]);
  const stream = await open(token);
  await stream.until('id: ');
  await service.sql`update public.users set is_active = false where id = ${id}`;
  await stream.untilEnded();
  expect(stream.text).toContain('event: end\ndata: {"code":"ERROR_UNAUTHORIZED"}');
  expect(stream.response.complete).toBe(true);
});

test('if a service allows each caller two change streams, and three in all, it refuses any further stream', async () => {
  const one = await narrow.token('CLIENT', [own.clients], { sub: 'one' });
  const two = await narrow.token('CLIENT', [own.clients], { sub: 'two' });
  for (let count = 0; count < 2; count += 1) await open(one, { of: narrow });
  const headers = { accept: 'text/event-stream' };
  expectError(await narrow.ask('GET /api/changes', { token: one, headers }), 'ERROR_RATE_LIMITED');
  await open(two, { of: narrow });
  expectError(await narrow.ask('GET /api/changes', { token: two, headers }), 'ERROR_UNAVAILABLE');
});

test('a caller at the limit of change streams can open another stream after closing one', async () => {
  const token = await narrow.token('CLIENT', [own.clients], { sub: 'again' });
  for (let count = 0; count < 3; count += 1) {
    await until(async () => (await open(token, { of: narrow })).response.statusCode === 200);
    openStreams.at(-1)?.close();
  }
});

test('a change stream is aborted if its caller stops reading', async () => {
  const stream = await open(await flooding.token('CLIENT', [own.clients]), { of: flooding });
  stream.response.pause();
  expect(await bounded(brokenOff.promise, STREAM_WAIT_MS)).toBe(true);
});

test('a service that stops ends its change streams with ERROR_UNAVAILABLE', async () => {
  const ending = await startService({ postgres });
  const token = await ending.token('CLIENT', [own.clients]);
  const stream = await open(token, { of: ending });
  await stream.until('id: ');
  await ending.close();
  await stream.untilEnded();
  expect(stream.text).toContain('event: end\ndata: {"code":"ERROR_UNAVAILABLE"}');
});
