import { readFile } from 'node:fs/promises';

/** The kinds of requests that a load test sends. Some checks after the load test apply to one kind only. */
export type Kind = 'create' | 'change' | 'move' | 'delete' | 'read' | 'refuse' | 'grant' | 'use';

/** A request of the load test that was answered or given up. */
export interface Entry {
  /**
   * The number by which a load test identifies a request. All attempts with the same Idempotency-Key share one number.
   */
  readonly serial: number;
  readonly attempt: number;
  readonly operation: string;
  readonly kind: Kind;
  /** The database table of the record that a request of the load test reads or writes. */
  readonly table: string | null;
  /** The id of the record that a request of the load test names, or that its answer reports as created. */
  readonly record: string | null;
  /** A text that one request of the load test stores and that no other request has. */
  readonly marker: string | null;
  readonly keyed: boolean;
  readonly status: number | null;
  /** Why the load test received no complete answer to a request; null if it received a complete answer. */
  readonly lost: string | null;
  readonly requestId: string | null;
  /** True if such a request is allowed to get this HTTP status although the test causes no failure at the moment. */
  readonly expected: boolean;
  readonly retryAfter: boolean;
  /**
   * The digest of a complete success answer to a request with an Idempotency-Key. If the request is repeated with the
   * same key, the answer must have the same digest.
   */
  readonly answer: string | null;
  /**
   * The texts and rows of another tenant that the answer to a load test’s request contains. Each of them is a defect of
   * the service.
   */
  readonly foreign: readonly string[];
  /** What is wrong with the content of an answer that the load test received; null if nothing is wrong. */
  readonly defect: string | null;
  /** When the load test sent the request, in milliseconds since 1970, and how many milliseconds the answer took. */
  readonly at: number;
  readonly ms: number;
}

/**
 * The load test calls a request hanging if it got no answer within this time in milliseconds. The service’s own
 * time-outs add up to less. An upload also waits up to 10 s for the document store.
 */
export const HUNG_MS = 10_000;
export const HUNG_WITH_CONTENT_MS = 17_000;

/** The name of the load test’s requests to /health, each of which opens a new connection. */
export const HEALTH = 'health';

/**
 * Reads the file into which the load test writes each request with its answer. If the load test is still running, the
 * last line can be incomplete, and is skipped.
 */
export async function readJournal(file: string): Promise<Entry[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
}
