import { afterEach, describe, expect, test } from '@jest/globals';
import { createCircuitBreaker } from '../../src/counters/circuit.ts';
import type { CircuitBreaker, CounterConnection } from '../../src/counters/circuit.ts';
import { expectError, startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { createTestLogger } from '../support/test-logger.ts';

/* Counting elsewhere, where that does not answer, and where it does again. */

let service: Service | undefined;
let circuit: CircuitBreaker | undefined;
afterEach(async () => {
  circuit?.close();
  await service?.close();
  service = undefined;
});

/** A place that several count in, and what it does. */
function place() {
  const counts = new Map<string, number>();
  const asked: string[] = [];
  let answers: 'yes' | 'never' | 'fails' = 'yes';
  const increment: CounterConnection['increment'] = (limit, key) => {
    asked.push(key);
    if (answers === 'never') return new Promise(() => undefined);
    if (answers === 'fails') return Promise.reject(new Error('refused by hand'));
    const totalHits = (counts.get(`${limit} ${key}`) ?? 0) + 1;
    counts.set(`${limit} ${key}`, totalHits);
    return Promise.resolve({ totalHits, resetTime: new Date(Date.now() + 60_000) });
  };
  return {
    connect: (): Promise<CounterConnection> => Promise.resolve({ increment, close: () => undefined }),
    asked,
    be: (how: typeof answers) => {
      answers = how;
    },
  };
}

describe('requests that are counted elsewhere', () => {
  test('are limited over all services that count there', async () => {
    const there = place();
    const { log } = createTestLogger();
    circuit = await createCircuitBreaker({
      connect: there.connect,
      backendName: 'there',
      timeoutMs: 50,
      log,
    });
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

  test.each(['never', 'fails'] as const)(
    'are counted here, and all are answered, where the place %s answers; until it does',
    async (how) => {
      const there = place();
      const { log, logged, loggedText } = createTestLogger();
      circuit = await createCircuitBreaker({
        connect: there.connect,
        backendName: 'there',
        timeoutMs: 50,
        log,
      });
      service = await startService({ limits: { perUser: 5, perIp: 100 }, countedIn: circuit });
      const token = await service.token('CLIENT');
      const asked = service;
      const ask = () => asked.ask('GET /api/auth/profile', { token });
      there.be(how);
      const answers = await Promise.all(Array.from({ length: 4 }, ask));
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
      expect(circuit.isOpen).toBe(true);
      const before = there.asked.length;
      expect((await ask()).status).toBe(200);
      const late = await ask();
      expectError(late, 'ERROR_RATE_LIMITED');
      // Nobody's request is sent there meanwhile, but for what tries it.
      expect(there.asked.slice(before).filter((key) => key !== 'probe')).toEqual([]);
      there.be('yes');
      await logged('the shared rate-limit counters are reachable again');
      expect((await ask()).headers['ratelimit']).toMatch(/"user"; r=4;/);
      expect(loggedText().match(/each process counts alone/g)).toHaveLength(1);
    },
  );

  test('are let go together where the way there is lost, and not each after its own wait', async () => {
    const { log } = createTestLogger();
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
    const opened = await createCircuitBreaker({
      connect: () => (closed === 0 ? Promise.resolve(link) : Promise.reject(new Error('away'))),
      ...{ backendName: 'there', timeoutMs: 3_600_000, log },
    });
    circuit = opened;
    const asked = ['first', 'second', 'third'].map((key) => opened.increment('user', key));
    lose(new Error('lost'));
    expect(await Promise.all(asked)).toEqual([undefined, undefined, undefined]);
    expect(closed).toBe(1);
    expect(await opened.increment('user', 'fourth')).toBeUndefined();
  });
});
