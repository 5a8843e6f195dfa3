import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { Readable } from 'node:stream';

export async function* hashed(content: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The SHA-256 of a content in hex; undefined for one that is longer than so many bytes, which is not read on. */
export async function digestOf(content: AsyncIterable<Buffer>, size: number): Promise<string | undefined> {
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of hashed(content, hash)) {
    read += chunk.length;
    if (read > size) return undefined;
  }
  return hash.digest('hex');
}

/** The same content; instead of ending it fails with `damaged()` where its SHA-256 is another. */
export function failingUnless(
  sha256: string,
  content: AsyncIterable<Buffer>,
  damaged: () => Error,
): Readable {
  return Readable.from(checked(sha256, content, damaged), { objectMode: false });
}

async function* checked(
  sha256: string,
  content: AsyncIterable<Buffer>,
  damaged: () => Error,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  yield* hashed(content, hash);
  if (hash.digest('hex') !== sha256) throw damaged();
}
