import { afterEach, expect, test } from '@jest/globals';
import type { Logger } from 'pino';
import { createCircuitBreaker } from '../../src/counters/circuit.ts';
import type { CircuitBreaker, CounterConnection } from '../../src/counters/circuit.ts';
import { expectError, startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { createTestLogger } from '../support/test-logger.ts';

/*
 * These tests check rate-limit counters that several processes share, while the counters work, fail, hang, and work
 * again.
 */

let service: Service | undefined;
let circuit: CircuitBreaker | undefined;
afterEach(async () => {
  circuit?.close();
  await service?.close();
  service = undefined;
});

/** A stand-in for the shared rate-limit counter that a test can make hang or fail. */
function sharedCounter() {
  const counts = new Map<string, number>();
  const keys: string[] = [];
  let state: 'works' | 'hangs' | 'fails' = 'works';
  const increment: CounterConnection['increment'] = (limit, key) => {
    keys.push(key);
    if (state === 'hangs') return new Promise(() => undefined);
    if (state === 'fails') return Promise.reject(new Error('refused by hand'));
    const totalHits = (counts.get(`${limit} ${key}`) ?? 0) + 1;
    counts.set(`${limit} ${key}`, totalHits);
    return Promise.resolve({ totalHits, resetTime: new Date(Date.now() + 60_000) });
  };
  return {
    connect: (): Promise<CounterConnection> => Promise.resolve({ increment, close: () => undefined }),
    keys,
    set: (next: typeof state) => {
      state = next;
    },
  };
}

const openCircuit = (connect: () => Promise<CounterConnection>, log: Logger, timeoutMs = 50): Promise<CircuitBreaker> =>
  createCircuitBreaker({ connect, name: 'shared', timeoutMs, log });

test('two processes of the service with shared rate-limit counters count a user’s requests together', async () => {
  const shared = sharedCounter();
  circuit = await openCircuit(shared.connect, createTestLogger().log);
  service = await startService({ limits: { perUser: 3, perIp: 100 }, countedIn: circuit });
  const other = await startService({ limits: { perUser: 3, perIp: 100 }, countedIn: circuit });
  const tokens = [await service.token('CLIENT'), await other.token('CLIENT')];
  const ask = async (of: Service, token = '') => (await of.ask('GET /api/auth/profile', { token })).status;
  expect(await ask(service, tokens[0])).toBe(200);
  expect(await ask(other, tokens[1])).toBe(200);
  expect(await ask(service, tokens[0])).toBe(200);
  expect(await ask(other, tokens[1])).toBe(429);
  await other.close();
});

test.each(['hangs', 'fails'] as const)(
  'while the shared rate-limit counter %s, each process answers requests and counts them in its own memory',
  async (state) => {
    const shared = sharedCounter();
    const { log, logged, loggedText } = createTestLogger();
    circuit = await openCircuit(shared.connect, log);
    service = await startService({ limits: { perUser: 5, perIp: 100 }, countedIn: circuit });
    const token = await service.token('CLIENT');
    const asked = service;
    const ask = () => asked.ask('GET /api/auth/profile', { token });
    shared.set(state);
    const answers = await Promise.all(Array.from({ length: 4 }, ask));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect(circuit.isOpen).toBe(true);
    const before = shared.keys.length;
    expect((await ask()).status).toBe(200);
    const late = await ask();
    expectError(late, 'ERROR_RATE_LIMITED');
    // While the shared rate-limit counter does not work, only the service’s periodic probe calls it.
    expect(shared.keys.slice(before).filter((key) => key !== 'probe')).toEqual([]);
    shared.set('works');
    await logged('the shared rate-limit counters are reachable again');
    expect((await ask()).headers['ratelimit']).toMatch(/"user"; r=4;/);
    expect(loggedText().match(/each process counts alone/g)).toHaveLength(1);
  },
);

test('if the connection to the shared rate-limit counters breaks, all calls that wait for the counters end at once', async () => {
  let closed = 0;
  const { promise: first, reject: lose } = Promise.withResolvers<never>();
  const link: CounterConnection = {
    increment: (_limit, key) => {
      if (key === 'probe') return Promise.resolve({ totalHits: 1, resetTime: undefined });
      return key === 'first' ? first : new Promise(() => undefined);
    },
    close: () => {
      closed += 1;
    },
  };
  const connect = () => (closed === 0 ? Promise.resolve(link) : Promise.reject(new Error('away')));
  const opened = await openCircuit(connect, createTestLogger().log, 3_600_000);
  circuit = opened;
  const asked = ['first', 'second', 'third'].map((key) => opened.increment('user', key));
  lose(new Error('lost'));
  expect(await Promise.all(asked)).toEqual([undefined, undefined, undefined]);
  expect(closed).toBe(1);
  expect(await opened.increment('user', 'fourth')).toBeUndefined();
});
