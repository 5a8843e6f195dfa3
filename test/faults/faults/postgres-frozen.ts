import type { Fault } from '../fault.ts';
import { HUNG_MS } from '../journal.ts';

export const fault: Fault = {
  name: 'postgres-frozen',
  what: 'SIGSTOP of every process of Postgres for longer than the time-outs, then SIGCONT',
  must: 'nobody waits for it longer than the time-outs, and the service finds it again',
  holdMs: HUNG_MS + 1_000,
  async begin({ cluster }, load) {
    await cluster.freeze();
    load.burst(20, ['create site', 'create claim']);
    return () => cluster.thaw();
  },
};
