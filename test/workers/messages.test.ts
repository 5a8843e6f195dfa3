import { describe, expect, test } from '@jest/globals';
import { createAsking, tellCount } from '../../src/workers/messages.ts';
import type { Count } from '../../src/counters/counters.ts';

describe('what processes tell each other', () => {
  test('of a count that failed is the failure of whoever asked for it, and the others have theirs', async () => {
    const asking = createAsking<Count>();
    const ids: number[] = [];
    const asked = [1, 2, 3].map(() => asking.ask((id) => ids.push(id)));
    const [first = 0, second = 0, third = 0] = ids;
    for (const counted of [
      { id: third, totalHits: 3, resetMs: 60_000 },
      { id: second, reason: 'refused by hand' },
      { id: first, totalHits: 1, resetMs: 60_000 },
      { id: 4_711, totalHits: 9, resetMs: 60_000 },
    ])
      tellCount(asking, counted);
    expect(await Promise.allSettled(asked)).toMatchObject([
      { value: { totalHits: 1, resetTime: new Date(60_000) } },
      { reason: { message: 'refused by hand' } },
      { value: { totalHits: 3 } },
    ]);
  });
});
