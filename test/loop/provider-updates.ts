import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the emulated provider was told of a user, in the order in which it was told. */
export interface ProviderUpdate {
  /** Milliseconds of the epoch. */
  readonly at: number;
  readonly subject: string;
  readonly role: string;
  readonly clients: readonly string[];
  readonly isBlocked: boolean;
}

export const AUDIENCE = 'taxclaims-loop';
export const CREDENTIAL = 'management-token';
export const JOURNAL = 'provider-updates';
export const KEY = 'key.json';

/** A line that a killed provider has not ended was never acknowledged. */
export async function readProviderUpdates(folder: string): Promise<ProviderUpdate[]> {
  const text = await readFile(join(folder, JOURNAL), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as ProviderUpdate];
      } catch {
        return [];
      }
    });
}
