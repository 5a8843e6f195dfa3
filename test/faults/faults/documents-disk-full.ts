import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 'documents-disk-full',
  what: 'the disk under the documents is full',
  must: 'uploads are 503, everything else is answered as ever, and uploads are taken again after',
  world: { smallDisk: 'documents' },
  holdMs: 2_000,
  spares: (operation) => operation !== 'upload',
  async begin({ smallDisk }) {
    await smallDisk?.fill();
    return async () => {
      await smallDisk?.empty();
    };
  },
};
