import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { holdTable } from '../held-table.ts';
import { HEALTH } from '../journal.ts';
import { STATEMENT_TIMEOUT_MS } from '../world.ts';

/** Returns a test in which many requests wait for one locked table while other requests arrive. */
function waiting(name: string, count: number): Fault {
  return {
    name,
    what: `${count} simultaneous requests wait for one locked table`,
    must: 'each request is answered, and health checks are answered as usual',
    holdMs: STATEMENT_TIMEOUT_MS + 1_500,
    spares: (operation) => operation === HEALTH,
    async begin(world, load) {
      const release = await holdTable(world, 'public.sites');
      load.burst(count, ['read sites', 'create site']);
      await delay(500);
      return release;
    },
  };
}

export const faults: readonly Fault[] = [
  waiting('three-hundred-waiting', 300),
  waiting('three-thousand-waiting', 3_000),
];
