import { Readable } from 'node:stream';
import { within } from '../within.ts';
import { outOfReach, StoreStalled } from './content-store.ts';

/** The same content; fails where the store gives nothing for so long. The reader's time does not count. */
export function failingOnStall(
  content: Readable,
  stallMs: number,
  failed: (error: unknown) => void = () => undefined,
): Readable {
  return Readable.from(chunksOf(content, stallMs, failed), { objectMode: false });
}

async function* chunksOf(
  content: Readable,
  stallMs: number,
  failed: (error: unknown) => void,
): AsyncGenerator<Buffer> {
  const chunks = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const next = await within(stallMs, chunks.next(), () => {
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
