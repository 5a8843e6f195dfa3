import { rename, rm, writeFile } from 'node:fs/promises';
import type { Fault } from '../fault.ts';
import { STATEMENT_TIMEOUT_MS } from '../world.ts';

/* A disk that is full or away. */

export const faults: readonly Fault[] = [
  {
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
  },
  {
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
  },
  {
    name: 'documents-away',
    what: 'the folder of the documents is away, and a file is in its place',
    must: 'uploads and downloads are 503, everything else is answered as ever, and deleted documents lose their contents after',
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
    what: 'the disk under DATA_DIR is full while Postgres is out of reach: a refusal can be kept nowhere',
    must: 'what cannot be recorded is not refused but 503, and what was refused before is recorded',
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
