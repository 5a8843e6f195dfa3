import { expect, test } from '@jest/globals';
import { MemoryStore } from 'express-rate-limit';
import { countersIn } from '../../src/counters/counters.ts';
import { openMemory } from '../../src/counters/memory.ts';

test('of many who are counted at once each is told of its own place', async () => {
  const counters = countersIn();
  const store = counters.storeOf('user');
  const all = await Promise.all(Array.from({ length: 300 }, async () => store.increment('somebody')));
  expect(all.map(({ totalHits }) => totalHits)).toEqual(all.map((_, index) => index + 1));
  await counters.close();
});

/** A store that fails for one of its keys. */
class FailingStore extends MemoryStore {
  override async increment(key: string): ReturnType<MemoryStore['increment']> {
    if (key === 'unlucky') throw new Error('refused by hand');
    return super.increment(key);
  }
}

test('a count that fails is the failure of whoever asked, and the next ones are counted', async () => {
  const memory = openMemory(new FailingStore());
  const counted = ['first', 'unlucky', 'first', 'unlucky', 'first'].map((key) => memory.increment(key));
  expect(await Promise.allSettled(counted)).toMatchObject([
    { value: { totalHits: 1 } },
    { reason: { message: 'refused by hand' } },
    { value: { totalHits: 2 } },
    { reason: { message: 'refused by hand' } },
    { value: { totalHits: 3 } },
  ]);
  memory.shutdown();
});
