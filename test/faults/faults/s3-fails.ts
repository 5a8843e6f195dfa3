import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 's3-fails',
  what: 'S3 answers everything with 500',
  must: 'uploads and downloads are 503 or broken off, everything else is answered as ever',
  world: { store: 's3' },
  holdMs: 2_500,
  spares: (operation) => !['upload', 'download'].includes(operation),
  begin({ s3Line }) {
    s3Line.become('failing');
    return Promise.resolve(() => {
      s3Line.become('whole');
      return Promise.resolve();
    });
  },
};
