import { expect, test } from '@jest/globals';
import { createCounters } from '../../src/counters/counters.ts';

test('the rate-limit counter in memory numbers 300 simultaneous requests of a user from 1 to 300 without waiting', async () => {
  const counters = createCounters();
  const counted = Array.from({ length: 300 }, () => counters.count('user', 'somebody'));
  expect(counted).toMatchObject(counted.map((_, index) => ({ totalHits: index + 1 })));
  expect(counters.count('address', 'somebody')).toMatchObject({ totalHits: 1 });
  await counters.close();
});
