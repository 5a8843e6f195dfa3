import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 'in-recovery',
  what: 'Postgres comes back as a standby, which only reads, and is promoted',
  must: 'writes are 503 and not refused, and the service writes again after',
  holdMs: 2_000,
  async begin({ cluster, admin }) {
    await cluster.startAsStandby();
    return async () => {
      await admin('select pg_promote(true, 30)');
    };
  },
};
