import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HEALTH, readJournal } from './journal.ts';
import type { Entry } from './journal.ts';
import type { Order } from './load.ts';
import type { Plan } from './load/people.ts';

/** A process that sends the requests of a load test, with the functions by which its parent process controls it. */
export interface LoadProcess {
  /** The path of the file into which the load test writes each request with its answer. */
  readonly journal: string;
  /** Makes the load test send `count` simultaneous requests of the given operations. */
  burst(count: number, operations: readonly string[]): void;
  /** From now on, some of the load test’s requests use the given token. */
  useNewToken(token: string): void;
  /**
   * Pauses the load test until `resume`. Resolves once every sent request was answered or given up, with all requests
   * so far.
   */
  hold(): Promise<readonly Entry[]>;
  resume(): void;
  /** Ends the load test. Resolves once every sent request was answered or given up, with all requests. */
  finish(): Promise<readonly Entry[]>;
}

/** The longest time in milliseconds until the load test gets its first answer from the service. */
const BEGUN_MS = 60_000;

/**
 * Starts the load test. Resolves once a request with a token has succeeded, so that the test causes its failure in a
 * working service.
 */
export async function startLoad(folder: string, options: Omit<Plan, 'journal' | 'thinkMs'>): Promise<LoadProcess> {
  const journal = join(folder, 'journal');
  const plan = join(folder, 'plan.json');
  await writeFile(plan, JSON.stringify({ ...options, journal, thinkMs: 60 }), { mode: 0o600 });
  const child = fork(join(import.meta.dirname, 'load.ts'), [plan], {
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const tell = (order: Order): void => {
    child.send(order);
  };
  const end = Date.now() + BEGUN_MS;
  while (!(await readJournal(journal)).some(isServed)) {
    if (child.exitCode !== null || Date.now() > end) {
      child.kill();
      throw new Error('the service answered no request of the load test');
    }
    await delay(50);
  }
  return {
    journal,
    burst: (burst, operations) => {
      tell({ burst, operations });
    },
    useNewToken: (newToken) => {
      tell({ newToken });
    },
    async hold() {
      const held = once(child, 'message');
      tell({ hold: true });
      await Promise.race([held, ended]);
      if (child.exitCode !== null) throw new Error(`the load test ended with ${child.exitCode}`);
      return readJournal(journal);
    },
    resume: () => {
      tell({ resume: true });
    },
    async finish() {
      tell({ finish: true });
      const [code] = (await ended) as [number | null];
      if (code !== 0) throw new Error(`the load test ended with ${String(code)}`);
      return readJournal(journal);
    },
  };
}

function isServed({ operation, status }: Entry): boolean {
  return operation !== HEALTH && status !== null && status < 300;
}
