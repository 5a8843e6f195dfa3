import type { Fault } from '../fault.ts';
import { holdTable } from '../held-table.ts';
import { HEALTH } from '../journal.ts';
import { STATEMENT_TIMEOUT_MS } from '../world.ts';

export const fault: Fault = {
  name: 'pool-exhausted',
  what: 'the service has two connections, and both wait for a lock most of the time',
  must: 'health and what the token decides are answered as ever, the others wait their turn or are told to come again',
  world: { environment: { DATABASE_POOL_SIZE: '2' } },
  holdMs: STATEMENT_TIMEOUT_MS + 2_000,
  spares: (operation) =>
    [HEALTH, 'ask without a token', 'ask with a bad token', 'create in the wrong role'].includes(operation),
  async begin(world, load) {
    const release = await holdTable(world, 'public.partners');
    load.burst(60, ['create partner']);
    return release;
  },
};
