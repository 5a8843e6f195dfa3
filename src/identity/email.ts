import { z } from 'zod';

/**
 * True for an email that the service stores, in ASCII only. The service compares emails without letter case, and systems
 * disagree on the case of other letters.
 */
export function isEmail(text: string): boolean {
  return z.email().safeParse(text).success;
}
