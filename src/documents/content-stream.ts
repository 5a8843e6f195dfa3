import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { within } from '../within.ts';
import { outOfReach, StoreStalled } from './content-store.ts';

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
  async function* checked(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    yield* hashed(content, hash);
    if (hash.digest('hex') !== sha256) throw damaged();
  }
  return Readable.from(checked(), { objectMode: false });
}

/** The same content; fails where the store gives nothing for so long. The reader's time does not count. */
export function failingOnStall(
  content: Readable,
  stallMs: number,
  failed: (error: unknown) => void = () => undefined,
): Readable {
  async function* chunks(): AsyncGenerator<Buffer> {
    const source = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    try {
      for (;;) {
        const next = await within(stallMs, source.next(), () => {
          const stalled = outOfReach(new StoreStalled('the content stopped coming'));
          failed(stalled);
          return stalled;
        });
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      content.destroy();
    }
  }
  return Readable.from(chunks(), { objectMode: false });
}
