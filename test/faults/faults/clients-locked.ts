import type { Fault } from '../fault.ts';
import { holdTable } from '../held-table.ts';
import { HEALTH } from '../journal.ts';
import { STATEMENT_TIMEOUT_MS } from '../world.ts';

export const fault: Fault = {
  name: 'clients-locked',
  what: 'the table clients is locked for longer than the time-outs',
  must: 'health and what the token decides are answered as ever',
  holdMs: STATEMENT_TIMEOUT_MS + 2_000,
  spares: (operation) =>
    [HEALTH, 'ask without a token', 'ask with a bad token', 'create in the wrong role'].includes(operation),
  begin: (world) => holdTable(world, 'public.clients'),
};
