import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Claim } from './content-type.ts';

/** What tells one upload from another: the bytes of the file, and what its sender says of it. */
export async function fingerprintOf(file: string, { filename, declaredType }: Claim): Promise<string> {
  const content = createHash('sha256');
  await pipeline(createReadStream(file), content);
  return JSON.stringify([filename, declaredType, content.digest('hex')]);
}
