import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 's3-cuts',
  what: 'S3 breaks off each connection after 2 kB of answers: downloads end half-way',
  must: 'uploads and downloads are 503 or broken off, everything else is answered as ever',
  world: { store: 's3' },
  holdMs: 2_500,
  spares: (operation) => !['upload', 'download'].includes(operation),
  begin({ s3Line }) {
    s3Line.cutAfter(2_000);
    return Promise.resolve(() => {
      s3Line.cutAfter(undefined);
      return Promise.resolve();
    });
  },
};
