import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 'postgres-stopped',
  what: 'Postgres is shut down and started again',
  must: 'the service finds it again by itself',
  holdMs: 1_500,
  async begin({ cluster }) {
    await cluster.stop();
    return () => cluster.start();
  },
};
