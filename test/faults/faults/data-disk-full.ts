import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 'data-disk-full',
  what: 'the disk under DATA_DIR is full while Postgres is well',
  must: 'nobody notices',
  world: { smallDisk: 'data' },
  holdMs: 2_000,
  spares: () => true,
  async begin({ smallDisk }) {
    await smallDisk?.fill();
    return async () => {
      await smallDisk?.empty();
    };
  },
};
