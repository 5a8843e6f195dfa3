import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Received } from './exchange.ts';
import { foreignIn } from './foreign.ts';
import type { Wanted } from './operations.ts';
import type { LoadTenant } from './people.ts';
import { idOf } from './rows.ts';

interface Judgement {
  readonly expected: boolean;
  readonly defect: string | null;
  /**
   * The texts and rows of another tenant that the answer to a load test’s request contains. Each of them is a defect of
   * the service.
   */
  readonly foreign: readonly string[];
  /** The id of the record that the request has created, as the answer shows it. */
  readonly record: string | undefined;
}

export interface Asked {
  /** True if the load test will send this request again. Then the answer is judged only for data of another tenant. */
  readonly repeated: boolean;
  /**
   * True if the same request, with the same Idempotency-Key, was already answered. `wanted.answered` has then checked
   * the earlier answer.
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
 * True if the outcome of a writing request is unknown: perhaps the service has stored the write, or it still runs
 * another attempt with the same Idempotency-Key.
 */
export function isUnanswered({ status, lost, headers }: Received): boolean {
  if (lost !== null || status === null || status === 503) return true;
  return status === 409 && headers['retry-after'] !== undefined;
}

/**
 * A digest of an answer’s parts that must be equal in all answers to the same Idempotency-Key; null for an incomplete
 * answer or an error.
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
