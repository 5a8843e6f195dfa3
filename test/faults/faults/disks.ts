import { rename, rm, writeFile } from 'node:fs/promises';
import type { Fault } from '../fault.ts';
import { STATEMENT_TIMEOUT_MS } from '../world.ts';

/* In these tests a disk of the service is full or not mounted. */

export const faults: readonly Fault[] = [
  {
    name: 'data-disk-full',
    what: 'the disk of DATA_DIR is full while Postgres is reachable',
    must: 'every request is answered as usual',
    world: { smallDisk: 'data' },
    holdMs: 2_000,
    spares: () => true,
    async begin({ smallDisk }) {
      await smallDisk?.fill();
      return async () => {
        await smallDisk?.empty();
      };
    },
  },
  {
    name: 'documents-disk-full',
    what: 'the disk of the documents is full',
    must: 'uploads get 503 until the disk has room again, and other requests are answered as usual',
    world: { smallDisk: 'documents' },
    holdMs: 2_000,
    spares: (operation) => operation !== 'upload',
    async begin({ smallDisk }) {
      await smallDisk?.fill();
      return async () => {
        await smallDisk?.empty();
      };
    },
  },
  {
    name: 'documents-away',
    what: 'the folder of the documents is missing, and a file is in its place',
    must: 'uploads and downloads get 503, other requests are answered as usual, and contents of deleted documents are removed later',
    holdMs: 2_000,
    spares: (operation) => !['upload', 'download'].includes(operation),
    async begin({ documents }) {
      await rename(documents, `${documents}.away`);
      await writeFile(documents, '');
      return async () => {
        await rm(documents);
        await rename(`${documents}.away`, documents);
      };
    },
  },
  {
    name: 'spool-full',
    what: 'the disk of DATA_DIR is full while Postgres is unreachable, so the service cannot store a refusal',
    must: 'a request whose refusal cannot be stored gets 503, and every earlier refusal is recorded',
    world: { smallDisk: 'data' },
    holdMs: STATEMENT_TIMEOUT_MS + 2_000,
    async begin({ line, smallDisk }) {
      line.become('cut');
      await smallDisk?.fill();
      return async () => {
        await smallDisk?.empty();
        line.become('whole');
      };
    },
  },
];
