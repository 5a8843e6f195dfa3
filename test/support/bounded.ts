import { relative } from 'node:path';
import { proofOf } from '../proofs.ts';
import { ROOT } from './suites.ts';

/**
 * The time limit in milliseconds of a test, a hook or the opening of a test resource, such as a database, that sets no
 * other limit.
 */
const LONGEST_MS = 60_000;
const LONGEST_OF_PROOF_MS = 180_000;

function longestMs(): number {
  const { expect } = globalThis as unknown as { expect: { getState(): { testPath?: string } } };
  const { testPath = '' } = expect.getState();
  return proofOf(relative(ROOT, testPath)) === undefined ? LONGEST_MS : LONGEST_OF_PROOF_MS;
}

/**
 * Waits for some work and returns its result.
 * @throws Error with the caller’s stack if the work takes longer than `ms`
 */
export async function bounded<T>(work: T | Promise<T>, ms = longestMs()): Promise<T> {
  const error = new Error(`the work is not over after ${ms} ms`);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(error);
  }, ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
