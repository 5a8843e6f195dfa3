import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Received } from './exchange.ts';
import { foreignIn } from './foreign.ts';
import type { Wanted } from './operations.ts';
import type { LoadTenant } from './people.ts';
import { idOf } from './rows.ts';

/** What is to be thought of an answer. */
interface Judgement {
  readonly expected: boolean;
  readonly defect: string | null;
  /** What of another tenant it holds. */
  readonly foreign: readonly string[];
  /** The record that it says was created. */
  readonly record: string | undefined;
}

export interface Asked {
  /** The request will be sent again: of this answer only foreign content counts. */
  readonly repeated: boolean;
  /** An earlier attempt with the same key was answered, and `wanted.answered` was called with that answer. */
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

/** Whether the write may have been stored, or another attempt with its key is still under way. */
export function isUnanswered({ status, lost, headers }: Received): boolean {
  if (lost !== null || status === null || status === 503) return true;
  return status === 409 && headers['retry-after'] !== undefined;
}

/** A digest of everything that must be the same in each answer to one key; null where there is no whole good answer. */
export function digestOf(received: Received): string | null {
  if (!isGood(received)) return null;
  const { status, headers, body } = received;
  const parts = [status, headers.etag, headers.location, headers['content-type'], body.toString('latin1')];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export function textOf(header: IncomingHttpHeaders[string]): string | null {
  return typeof header === 'string' ? header : null;
}
