import { readFile } from 'node:fs/promises';

/** The kinds of requests that the checks distinguish. */
export type Kind = 'create' | 'change' | 'move' | 'delete' | 'read' | 'refuse' | 'grant' | 'use';

/** A request of the load that was answered or given up. */
export interface Entry {
  /** The number of the intended request. A repetition with the same Idempotency-Key has the same number. */
  readonly serial: number;
  readonly attempt: number;
  readonly operation: string;
  readonly kind: Kind;
  /** The table of the record that the request is about. */
  readonly table: string | null;
  /** The id of the record that the request named or that its answer reports as created. */
  readonly record: string | null;
  /** A text that the request stores and that no other request contains. */
  readonly marker: string | null;
  readonly keyed: boolean;
  readonly status: number | null;
  /** Why the request got no complete answer; null if it got one. */
  readonly lost: string | null;
  readonly requestId: string | null;
  /** Whether the request may get this status while there is no fault. */
  readonly expected: boolean;
  readonly retryAfter: boolean;
  /**
   * The digest of a complete success answer to a request with an Idempotency-Key. Every repetition of the key must get
   * the same answer.
   */
  readonly answer: string | null;
  /** Texts or rows of another tenant that the answer contains. */
  readonly foreign: readonly string[];
  /** What is wrong with the content of the answer; null if nothing is. */
  readonly defect: string | null;
  /** The time at which the request was sent in milliseconds since 1970, and the milliseconds until its answer. */
  readonly at: number;
  readonly ms: number;
}

/**
 * The milliseconds after which a request without an answer counts as hanging. The service’s own time-outs are shorter
 * in sum. An upload also waits up to 10 s for the document store.
 */
export const HUNG_MS = 10_000;
export const HUNG_WITH_CONTENT_MS = 17_000;

/** The name of the operation that asks /health on connections of its own. */
export const HEALTH = 'health';

/** Reads the complete lines of the journal, also while the load still writes it. */
export async function readJournal(file: string): Promise<Entry[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
}
