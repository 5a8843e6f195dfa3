import { expect, test } from '@jest/globals';
import { createProviderClock } from '../../src/identity/provider-clock.ts';
import { startTestIdentity } from '../support/identity.ts';
import { forSuite } from '../support/suite.ts';

/* These tests check how the service reads the identity provider’s time from the headers of the provider’s responses. */

const identity = await forSuite(startTestIdentity());
/** The time of a cached response in milliseconds; its Date header loses 0.9 seconds, because headers have whole seconds. */
const cachedAtMs = Math.floor(Date.now() / 1000) * 1000 - 90_000 + 900;

test.each([
  {
    response: 'a cached response',
    dateMs: () => cachedAtMs,
    age: () => String(Math.floor((Date.now() - cachedAtMs) / 1000)),
  },
  { response: 'a response with an Age that is no number', dateMs: Date.now, age: () => 'x' },
])(
  'the service reads bounds of the provider’s time, less than a minute apart, from $response',
  async ({ dateMs, age }) => {
    identity.answerWith((_request, response) => {
      response.setHeader('Date', new Date(dateMs()).toUTCString()).setHeader('Age', age()).end();
    });
    const { minMs, maxMs } = await createProviderClock({ findUrl: () => Promise.resolve(identity.jwksUrl) }).read(
      AbortSignal.timeout(20_000),
    );
    const differenceMs = Date.now() - performance.now();
    // The upper limit has one more millisecond, because Date.now() has no fractions of a millisecond.
    expect(minMs).toBeLessThanOrEqual(differenceMs + 1);
    expect(maxMs).toBeGreaterThanOrEqual(differenceMs);
    expect(maxMs - minMs).toBeLessThan(60_000);
  },
);
