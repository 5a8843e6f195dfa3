import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 'postmaster-killed',
  what: 'kill -9 of the postmaster, and a new start a second later',
  must: 'the service finds it again by itself',
  holdMs: 1_000,
  async begin({ cluster }) {
    await cluster.killPostmaster();
    return () => cluster.start();
  },
};
