import { expect, test } from '@jest/globals';
import { MAX_TIMED_TRANSACTIONS } from '../src/limits.ts';
import { createRequestTimeline, measureTransaction } from '../src/observed.ts';

/* These tests check the times of a request’s transactions, which metrics and traces show. */

test('the service keeps the times of a request’s first 20 transactions, so that a long import takes no more memory', async () => {
  const timeline = createRequestTimeline();
  for (let count = 0; count <= MAX_TIMED_TRANSACTIONS; count += 1)
    await measureTransaction(timeline, () => Promise.resolve());
  expect(timeline.transactions).toHaveLength(20);
  expect(timeline.transactions[0]).toMatchObject({ isFailed: false });
});
