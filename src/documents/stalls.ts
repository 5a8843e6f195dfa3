import { Readable } from 'node:stream';
import { within } from '../within.ts';
import { outOfReach } from './content-store.ts';

/**
 * The same content; it fails where the store gives nothing of it for so long. The time that whoever reads it takes does
 * not count.
 */
export function failingOnStall(content: Readable, stallMs: number): Readable {
  return Readable.from(chunksOf(content, stallMs), { objectMode: false });
}

async function* chunksOf(content: Readable, stallMs: number): AsyncGenerator<Buffer> {
  const chunks = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const next = await within(stallMs, chunks.next(), () =>
        outOfReach(new Error('the content stopped coming')),
      );
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    content.destroy();
  }
}
