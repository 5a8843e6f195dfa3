import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { directory } from '../db/apply.ts';
import type { Documents } from '../documents/documents.ts';

/** Puts the contents of the demonstration's documents where their rows say that they are. */
export async function placeDemonstration(documents: Pick<Documents, 'restore'>): Promise<void> {
  const folder = directory('demonstration/documents');
  for (const name of await readdir(folder)) {
    await documents.restore(`demonstration/${name}`, createReadStream(join(folder, name)));
  }
}
