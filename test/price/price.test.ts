import { readFile, rm } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { createTestDatabase } from '../support/database.ts';
import { startTestIdentity } from '../support/identity.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { measurePrices } from './measure.ts';
import type { Price } from './measure.ts';

/*
 * This test measures the work of the service for a request in counts, such as queries and bytes, that do not depend on
 * the machine’s load. Work that a change adds to each request changes price.json, which is reviewed like code.
 */

/**
 * The tolerated difference from price.json, as a fraction: the service sends durations, which can have a digit more or
 * less.
 */
const TOLERANCE: Readonly<Record<string, number>> = { bytesToPostgres: 0.01, bytesAllocated: 0.1 };

test('each kind of request costs the queries and bytes that price.json lists, with a tolerance of a tenth for allocated memory', async () => {
  const reviewed = JSON.parse(await readFile(new URL('price.json', import.meta.url), 'utf8')) as Readonly<
    Record<string, Price>
  >;
  const [folder, postgres, identity] = await Promise.all([
    createScratchFolder(),
    createTestDatabase(),
    startTestIdentity(),
  ]);
  try {
    const { adminUrl, directUrl: apiUrl } = postgres;
    const measured = await measurePrices({ folder, adminUrl, apiUrl, identity });
    const near = (name: string, price: Price): Price => {
      const known = reviewed[name];
      if (known === undefined) return price;
      const counts = Object.entries(price).map(([count, value]) => {
        const expected = known[count as keyof Price];
        const isNear = Math.abs(value - expected) <= expected * (TOLERANCE[count] ?? 0);
        return [count, isNear ? expected : value];
      });
      return Object.fromEntries(counts) as Price;
    };
    const prices = Object.entries(measured).map(([name, price]) => [name, near(name, price)]);
    expect(Object.fromEntries(prices)).toEqual(reviewed);
  } finally {
    await identity.stop();
    await postgres.close();
    await rm(folder, { recursive: true });
  }
});
