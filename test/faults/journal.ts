import { readFile } from 'node:fs/promises';

/** The kinds of a load test’s requests, which the checks after the load test distinguish. */
export type Kind = 'create' | 'change' | 'move' | 'delete' | 'read' | 'refuse' | 'grant' | 'use';

/** A request of the load test that was answered or given up. */
export interface Entry {
  /**
   * The number of a request that the load test wanted to make. A repetition with the same Idempotency-Key has the same
   * number.
   */
  readonly serial: number;
  readonly attempt: number;
  readonly operation: string;
  readonly kind: Kind;
  /** The database table of the record that a request of the load test reads or writes. */
  readonly table: string | null;
  /** The id of the record that a request of the load test names, or that its answer reports as created. */
  readonly record: string | null;
  /** A text that a request of the load test stores, and that no other request contains. */
  readonly marker: string | null;
  readonly keyed: boolean;
  readonly status: number | null;
  /** Why a request of the load test got no complete answer; null if the request got a complete answer. */
  readonly lost: string | null;
  readonly requestId: string | null;
  /** Whether a request of this kind may get the status in `status` while there is no fault. */
  readonly expected: boolean;
  readonly retryAfter: boolean;
  /**
   * The digest of a complete success answer to a request with an Idempotency-Key. Every repetition of the key must get
   * the same answer.
   */
  readonly answer: string | null;
  /** The texts and rows of another tenant in the answer to a request of the load test, which are always a defect. */
  readonly foreign: readonly string[];
  /** What is wrong with the content of the answer to a load test’s request; null if nothing is wrong. */
  readonly defect: string | null;
  /**
   * The time at which the load test sent the request, in milliseconds since 1970, and the milliseconds until the
   * answer.
   */
  readonly at: number;
  readonly ms: number;
}

/**
 * The milliseconds after which a load test’s request without an answer counts as hanging. The service’s own time-outs
 * are shorter in sum. An upload also waits up to 10 s for the document store.
 */
export const HUNG_MS = 10_000;
export const HUNG_WITH_CONTENT_MS = 17_000;

/** The name of the load test’s operation that requests /health, each time on a new connection. */
export const HEALTH = 'health';

/**
 * Reads the complete lines of the journal file, to which the load test writes each request with its answer, also while
 * the load test is running.
 */
export async function readJournal(file: string): Promise<Entry[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
}
