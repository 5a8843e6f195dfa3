import type { Fault } from '../fault.ts';
import { HUNG_WITH_CONTENT_MS } from '../journal.ts';
import type { World } from '../world.ts';

/* These tests break the S3 server in which the service stores documents. */

type Line = World['s3Line'];

function s3(name: string, what: string, begin: (line: Line) => void, holdMs = 2_500): Fault {
  return {
    ...{ name, what, holdMs, world: { store: 's3' } },
    must: 'uploads and downloads get 503 or break off, and other requests are answered as usual',
    spares: (operation) => !['upload', 'download'].includes(operation),
    begin({ s3Line }) {
      begin(s3Line);
      return Promise.resolve(() => {
        s3Line.cutAfter(undefined);
        s3Line.become('whole');
        return Promise.resolve();
      });
    },
  };
}

export const faults: readonly Fault[] = [
  s3('s3-cuts', 'S3 closes each connection after 2 kB of answers, so downloads break off', (line) => {
    line.cutAfter(2_000);
  }),
  s3('s3-fails', 'S3 answers everything with 500', (line) => {
    line.become('failing');
  }),
  s3(
    's3-hangs',
    'S3 accepts connections and requests, and answers nothing',
    (line) => {
      line.become('mute');
    },
    HUNG_WITH_CONTENT_MS + 1_000,
  ),
  s3('s3-refuses', 'S3 accepts no connection', (line) => {
    line.become('cut');
  }),
];
