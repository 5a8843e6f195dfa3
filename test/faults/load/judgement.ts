import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Received } from './exchange.ts';
import { foreignIn } from './foreign.ts';
import type { Wanted } from './operations.ts';
import type { LoadTenant } from './people.ts';
import { idOf } from './rows.ts';

/** What the load test finds about an answer to one of its requests. */
interface Judgement {
  readonly expected: boolean;
  readonly defect: string | null;
  /**
   * The texts and rows of another tenant that the answer to a load test’s request contains, which are always a defect.
   */
  readonly foreign: readonly string[];
  /** The id of the record that the answer to a load test’s request reports as created. */
  readonly record: string | undefined;
}

export interface Asked {
  /**
   * True if the load test will send the request again: then only data of another tenant in the answer counts as a
   * defect.
   */
  readonly repeated: boolean;
  /**
   * True if an earlier attempt with the same Idempotency-Key was answered and the function `wanted.answered` has
   * already received that answer.
   */
  readonly isKnown: boolean;
  readonly tenant: LoadTenant;
  readonly others: readonly LoadTenant[];
}

export function judge(wanted: Wanted, received: Received, { repeated, isKnown, tenant, others }: Asked): Judgement {
  const { expects, answered, line } = wanted;
  const { status, lost, body } = received;
  const isWhole = isGood(received) && expects.includes(status ?? 0);
  const foreign = [...foreignIn(received, { own: tenant, others }), ...(isWhole ? (wanted.foreign?.(body) ?? []) : [])];
  const isUnknown = lost !== null || status === null || status === 503 || repeated;
  if (isUnknown) return { expected: true, defect: null, foreign, record: undefined };
  if (!expects.includes(status)) {
    return { expected: false, defect: body.toString().slice(0, 300), foreign, record: undefined };
  }
  const record = status === 201 && line.startsWith('POST') ? idOf(body) : undefined;
  return { expected: true, defect: isWhole && !isKnown ? (answered?.(body) ?? null) : null, foreign, record };
}

function isGood({ status, lost }: Received): boolean {
  return lost === null && status !== null && status >= 200 && status < 300;
}

/**
 * Whether the service may have stored the write of a load test’s request, or still runs another attempt with the same
 * Idempotency-Key.
 */
export function isUnanswered({ status, lost, headers }: Received): boolean {
  if (lost !== null || status === null || status === 503) return true;
  return status === 409 && headers['retry-after'] !== undefined;
}

/**
 * A digest of the parts that every answer to one Idempotency-Key must share; null for an answer that is incomplete or
 * an error.
 */
export function digestOf(received: Received): string | null {
  if (!isGood(received)) return null;
  const { status, headers, body } = received;
  const parts = [status, headers.etag, headers.location, headers['content-type'], body.toString('latin1')];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export function textOf(header: IncomingHttpHeaders[string]): string | null {
  return typeof header === 'string' ? header : null;
}
