import { describe, expect, test } from '@jest/globals';
import { createAsking, tellCounts } from '../../src/workers/messages.ts';
import type { Count } from '../../src/counters/counters.ts';
import { perTurn } from '../../src/workers/per-turn.ts';

const turn = (): Promise<void> => new Promise(setImmediate);

describe('what processes tell each other', () => {
  test('goes in one message for each turn of the event loop, in the order in which it came', async () => {
    const messages: (readonly number[])[] = [];
    const tell = perTurn<number>((all) => messages.push(all));
    for (const one of [1, 2, 3]) tell(one);
    await Promise.resolve();
    tell(4);
    expect(messages).toEqual([]);
    await turn();
    tell(5);
    await turn();
    await turn();
    expect(messages).toEqual([[1, 2, 3, 4], [5]]);
  });

  test('of a count that failed is the failure of whoever asked for it, and the others have theirs', async () => {
    const asking = createAsking<Count>();
    const ids: number[] = [];
    const asked = [1, 2, 3].map(() => asking.ask((id) => ids.push(id)));
    const [first = 0, second = 0, third = 0] = ids;
    tellCounts(asking, [
      { id: third, totalHits: 3, resetMs: 60_000 },
      { id: second, reason: 'refused by hand' },
      { id: first, totalHits: 1, resetMs: 60_000 },
      { id: 4_711, totalHits: 9, resetMs: 60_000 },
    ]);
    expect(await Promise.allSettled(asked)).toMatchObject([
      { value: { totalHits: 1, resetTime: new Date(60_000) } },
      { reason: { message: 'refused by hand' } },
      { value: { totalHits: 3 } },
    ]);
  });
});
