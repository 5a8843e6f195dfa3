import { expect, test } from '@jest/globals';
import { countersIn } from '../../src/counters/counters.ts';

test('of many who are counted at once each is told of its own place', async () => {
  const counters = countersIn([]);
  const store = counters.storeOf('user');
  const all = await Promise.all(Array.from({ length: 300 }, async () => store.increment('somebody')));
  expect(all.map(({ totalHits }) => totalHits)).toEqual(all.map((_, index) => index + 1));
  await counters.close();
});
