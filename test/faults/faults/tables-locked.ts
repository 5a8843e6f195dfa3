import type { Fault } from '../fault.ts';
import { holdTable } from '../held-table.ts';
import { HEALTH } from '../journal.ts';
import { STATEMENT_TIMEOUT_MS } from '../world.ts';

/* In these tests another database session locks tables for longer than the service’s time-outs. */

const DECIDED_BY_THE_TOKEN = [HEALTH, 'ask without a token', 'ask with a bad token', 'create in the wrong role'];

const UNAFFECTED = 'health checks and requests that the token alone decides are answered as usual';

const lasting = {
  holdMs: STATEMENT_TIMEOUT_MS + 2_000,
  spares: (operation: string): boolean => DECIDED_BY_THE_TOKEN.includes(operation),
};

const locked = (name: string, table: string, must: string): Fault => ({
  ...{ name, must, ...lasting, what: `the table ${table} is locked for longer than the time-outs` },
  begin: (world) => holdTable(world, `public.${table}`),
});

export const faults: readonly Fault[] = [
  locked(
    'audit-logs-locked',
    'audit_logs',
    'health checks and refusals are answered as usual, and each refusal is recorded after the lock',
  ),
  locked('clients-locked', 'clients', UNAFFECTED),
  locked('reclamations-locked', 'reclamations', UNAFFECTED),
  {
    name: 'pool-exhausted',
    what: 'the service has only two database connections, and both wait for a lock most of the time',
    must: `${UNAFFECTED}; other requests wait or get 503 with Retry-After`,
    world: { environment: { DATABASE_POOL_SIZE: '2' } },
    ...lasting,
    async begin(world, load) {
      const release = await holdTable(world, 'public.partners');
      load.burst(60, ['create partner']);
      return release;
    },
  },
];
