import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the emulated provider was told of a user, in the order in which it was told. */
export interface Told {
  /** Milliseconds of the epoch. */
  readonly at: number;
  readonly subject: string;
  readonly role: string;
  readonly clients: readonly string[];
  readonly isBlocked: boolean;
}

export const AUDIENCE = 'taxclaims-loop';
export const CREDENTIAL = 'management-token';
export const JOURNAL = 'told';
export const KEY = 'key.json';

/** A line that a killed provider has not ended was never acknowledged. */
export async function readTold(folder: string): Promise<Told[]> {
  const text = await readFile(join(folder, JOURNAL), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Told];
      } catch {
        return [];
      }
    });
}
