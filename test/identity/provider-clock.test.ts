import { expect, test } from '@jest/globals';
import { createProviderClock } from '../../src/identity/provider-clock.ts';
import { startTestIdentity } from '../support/identity.ts';
import { forSuite } from '../support/suite.ts';

/* The time of the identity provider, as the service reads it from the headers of the provider's responses. */

const identity = await forSuite(startTestIdentity());
/** Headers have whole seconds, so the Date of this response lacks 0.9 seconds, and its Age up to another second. */
const cachedAtMs = Math.floor(Date.now() / 1000) * 1000 - 90_000 + 900;

test.each([
  {
    response: 'a cached response',
    dateMs: () => cachedAtMs,
    age: () => String(Math.floor((Date.now() - cachedAtMs) / 1000)),
  },
  { response: 'a response with an Age that is no number', dateMs: Date.now, age: () => 'x' },
])(
  'the provider’s time is within the bounds, less than a minute apart, that the service reads from $response',
  async ({ dateMs, age }) => {
    identity.answerWith((_request, response) => {
      response.setHeader('Date', new Date(dateMs()).toUTCString()).setHeader('Age', age()).end();
    });
    const { minMs, maxMs } = await createProviderClock({ url: identity.jwksUrl }).read(AbortSignal.timeout(20_000));
    const differenceMs = Date.now() - performance.now();
    // Date.now() leaves out the fraction of a millisecond.
    expect(minMs).toBeLessThanOrEqual(differenceMs + 1);
    expect(maxMs).toBeGreaterThanOrEqual(differenceMs);
    expect(maxMs - minMs).toBeLessThan(60_000);
  },
);
