import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createAuditWriter } from '../../src/db/audit-writer.ts';
import type { AuditWriter, Refusal } from '../../src/db/audit-writer.ts';
import { withAdmin } from '../support/database.ts';
import { MINE, openProbe } from '../support/probe.ts';
import type { Probe } from '../support/probe.ts';

let probe: Probe;

beforeAll(async () => {
  probe = await openProbe();
});

afterAll(() => probe.close());

/** A writer of its own for each test, with what it logged. */
function writer(): { audit: AuditWriter; logged: Record<string, unknown>[] } {
  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => logged.push(JSON.parse(line) as Record<string, unknown>) });
  return { audit: createAuditWriter({ database: probe.database, log }), logged };
}

function refusal(changes: Partial<Refusal> = {}): Refusal {
  return {
    requestId: randomUUID(),
    actor: 'idp|someone',
    action: 'GET /api/clients/1',
    resourceType: 'clients',
    reason: 'the client is not in client_access',
    ipAddress: '192.0.2.1',
    userAgent: 'a browser',
    ...changes,
  };
}

async function recorded({ requestId }: Refusal): Promise<Record<string, unknown>[]> {
  return probe.admin('select * from public.audit_logs where request_id = $1', [requestId]);
}

async function outage(): Promise<void> {
  await probe.admin(`alter database ${probe.postgres.name} connection limit 0`);
  await probe.terminate();
}

async function recovery(): Promise<void> {
  await probe.admin(`alter database ${probe.postgres.name} connection limit -1`);
}

describe('a refusal', () => {
  test('is stored once it is recorded, with all that is known of it', async () => {
    const { audit } = writer();
    const full = refusal({ resourceId: MINE, clientContext: MINE });
    await audit.record(full);
    expect(await recorded(full)).toEqual([
      expect.objectContaining({
        request_id: full.requestId,
        user_id: null,
        actor: 'idp|someone',
        action: 'GET /api/clients/1',
        resource_type: 'clients',
        resource_id: MINE,
        client_context: MINE,
        success: false,
        error_message: 'the client is not in client_access',
        ip_address: '192.0.2.1',
        user_agent: 'a browser',
      }),
    ]);
  });

  test.each<[string, Partial<Refusal>, Record<string, unknown>]>([
    ['a NUL', { action: 'GET /\0', userAgent: '\0' }, { action: 'GET /\uFFFD', user_agent: '\uFFFD' }],
    ['a path beyond its column', { action: `GET /${'x'.repeat(5_000)}` }, { success: false }],
    [
      'ids that are none',
      { resourceId: 'x', clientContext: '' },
      { resource_id: null, client_context: null },
    ],
    ['an address with a port', { ipAddress: '192.0.2.1:80' }, { ip_address: null }],
    ['half a surrogate pair', { userAgent: '\uD800' }, { user_agent: '\uFFFD' }],
  ])('is stored whatever is in it: %s', async (_case, hostile, expected) => {
    const { audit, logged } = writer();
    const one = refusal(hostile);
    await audit.record(one);
    expect(await recorded(one)).toEqual([expect.objectContaining(expected)]);
    expect(logged).toEqual([]);
  });
});

describe('a refusal during an outage', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  test('is logged whole at once, and stored once when the database is back, with no other to wait for', async () => {
    const { audit, logged } = writer();
    const first = refusal({ clientContext: MINE });
    const second = refusal();
    await outage();
    await audit.record(first);
    await audit.record(second);
    expect(logged).toEqual([
      expect.objectContaining({ level: 50, refusal: expect.objectContaining(first) }),
      expect.objectContaining({ level: 50, refusal: expect.objectContaining(second) }),
    ]);
    await recovery();
    while ((await recorded(second)).length === 0);
    expect(await recorded(first)).toHaveLength(1);
    expect(await recorded(second)).toHaveLength(1);
    await audit.close();
  });

  test('is stored with the next one that the database takes, not only when its own time has come', async () => {
    stopTheClock();
    const { audit } = writer();
    const kept = refusal();
    await outage();
    await audit.record(kept);
    await recovery();
    await audit.record(refusal());
    while ((await recorded(kept)).length === 0);
    await audit.close();
    expect(await recorded(kept)).toHaveLength(1);
  });

  test('is stored when the service ends after it', async () => {
    const { audit } = writer();
    const kept = refusal();
    await outage();
    await audit.record(kept);
    await recovery();
    await audit.close();
    expect(await recorded(kept)).toHaveLength(1);
  });

  test('does not keep the service from ending before the database is back', async () => {
    const { audit, logged } = writer();
    await outage();
    await audit.record(refusal());
    await audit.close();
    expect(logged.at(-1)).toMatchObject({ level: 50, refusals: 1 });
    await recovery();
  });
});

/** A clock for timers alone, which a test moves: the database goes on in real time beside it. */
function stopTheClock(): void {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
}

describe('a refusal whose record the database holds up', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  /** What has settled, once all that needs no time to pass has happened. */
  async function settled(work: Promise<void>, afterMs: number): Promise<boolean> {
    let isSettled = false;
    void work.then(() => (isSettled = true));
    await jest.advanceTimersByTimeAsync(afterMs);
    return isSettled;
  }

  test('is answered after two seconds, the next after a tenth of one, and the service ends after two', async () => {
    const { audit, logged } = writer();
    await withAdmin(probe.postgres.adminUrl, async (admin) => {
      await admin.query('begin');
      await admin.query('lock table public.audit_logs');
      stopTheClock();
      for (const patience of [2_000, 100]) {
        const recording = audit.record(refusal());
        expect(await settled(recording, patience - 1)).toBe(false);
        expect(await settled(recording, 1)).toBe(true);
      }
      expect(logged).toHaveLength(2);
      const closing = audit.close();
      expect(await settled(closing, 1_999)).toBe(false);
      expect(await settled(closing, 1)).toBe(true);
      expect(logged.at(-1)).toMatchObject({ refusals: 2 });
      await admin.query('commit');
    });
  });
});

test('a refusal that the database takes too long to store is stored exactly once after all', async () => {
  const { audit, logged } = writer();
  const slow = refusal();
  await withAdmin(probe.postgres.adminUrl, async (admin) => {
    await admin.query('begin');
    await admin.query('lock table public.audit_logs');
    await audit.record(slow);
    expect(logged).toEqual([expect.objectContaining({ level: 50 })]);
    await admin.query('commit');
  });
  await audit.close();
  expect(await recorded(slow)).toHaveLength(1);
});
