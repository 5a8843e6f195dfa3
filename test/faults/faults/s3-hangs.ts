import type { Fault } from '../fault.ts';
import { HUNG_WITH_CONTENT_MS } from '../journal.ts';

export const fault: Fault = {
  name: 's3-hangs',
  what: 'S3 takes connections and requests and answers nothing',
  must: 'uploads and downloads are 503 or broken off, everything else is answered as ever',
  world: { store: 's3' },
  holdMs: HUNG_WITH_CONTENT_MS + 1_000,
  spares: (operation) => !['upload', 'download'].includes(operation),
  begin({ s3Line }) {
    s3Line.become('mute');
    return Promise.resolve(() => {
      s3Line.become('whole');
      return Promise.resolve();
    });
  },
};
