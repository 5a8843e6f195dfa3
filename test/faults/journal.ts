import { readFile } from 'node:fs/promises';

/** What a request is to the accounting. */
export type Kind = 'create' | 'change' | 'move' | 'delete' | 'read' | 'refuse' | 'grant' | 'use';

/** One request that was sent, once it was answered or given up. */
export interface Entry {
  /** Of what was wanted: a request that is repeated with its key keeps its number. */
  readonly serial: number;
  readonly attempt: number;
  readonly operation: string;
  readonly kind: Kind;
  /** The table of the record that it is about. */
  readonly table: string | null;
  /** The record that it named, or the one that the answer says was created. */
  readonly record: string | null;
  /** What it wants to be stored, which is in no other request. */
  readonly marker: string | null;
  readonly keyed: boolean;
  readonly status: number | null;
  /** Why there is no answer, or no whole one. */
  readonly lost: string | null;
  readonly requestId: string | null;
  /** Whether a status is one that the request may be answered with while nothing fails. */
  readonly expected: boolean;
  readonly retryAfter: boolean;
  /** A digest of a whole good answer to a request with a key: whatever repeats the key must get the same. */
  readonly answer: string | null;
  /** What of another tenant the answer held. */
  readonly foreign: readonly string[];
  /** What is wrong with the content of an answer. */
  readonly defect: string | null;
  /** Milliseconds of the epoch at which it was sent, and how long its answer took. */
  readonly at: number;
  readonly ms: number;
}

/**
 * What is no wait any more but a hang: beyond every bound of the service, where a request may wait its turn, ask the
 * database twice and have its refusal recorded. With a content it asks more often, and the store has 10 s.
 */
export const HUNG_MS = 10_000;
export const HUNG_WITH_CONTENT_MS = 17_000;

/** The operation that asks for health, on connections of its own. */
export const HEALTH = 'health';

/** Of a load that still runs, whatever lines are whole. */
export async function readJournal(file: string): Promise<Entry[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
}
