import type { Fault } from '../fault.ts';
import { holdTable } from '../held-table.ts';
import { HEALTH } from '../journal.ts';
import { STATEMENT_TIMEOUT_MS } from '../world.ts';

/* A lock that somebody holds for longer than the time-outs. */

const DECIDED_BY_THE_TOKEN = [HEALTH, 'ask without a token', 'ask with a bad token', 'create in the wrong role'];

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
    'health and refusals are answered as ever, and each refusal is recorded after',
  ),
  locked('clients-locked', 'clients', 'health and what the token decides are answered as ever'),
  locked('reclamations-locked', 'reclamations', 'health and what the token decides are answered as ever'),
  {
    name: 'pool-exhausted',
    what: 'the service has two connections, and both wait for a lock most of the time',
    must: 'health and what the token decides are answered as ever, the others wait their turn or are told to come again',
    world: { environment: { DATABASE_POOL_SIZE: '2' } },
    ...lasting,
    async begin(world, load) {
      const release = await holdTable(world, 'public.partners');
      load.burst(60, ['create partner']);
      return release;
    },
  },
];
