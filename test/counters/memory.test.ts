import { expect, test } from '@jest/globals';
import { rateLimit } from 'express-rate-limit';
import { createCounters } from '../../src/counters/counters.ts';

test('the in-memory rate-limit counter gives 300 simultaneous requests of a user the numbers 1 to 300', async () => {
  const counters = createCounters();
  const [users, addresses] = [counters.createStore('user'), counters.createStore('address')];
  for (const store of [users, addresses]) rateLimit({ store, validate: false });
  const counted = await Promise.all(Array.from({ length: 300 }, async () => users.increment('somebody')));
  expect(counted.map(({ totalHits }) => totalHits)).toEqual(counted.map((_, index) => index + 1));
  expect(await addresses.increment('somebody')).toMatchObject({ totalHits: 1 });
  await counters.close();
});
