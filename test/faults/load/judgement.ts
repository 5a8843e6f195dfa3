import type { IncomingHttpHeaders } from 'node:http';
import { idOf } from './creations.ts';
import type { Received } from './exchange.ts';
import type { Wanted } from './operations.ts';

/** What is to be thought of an answer. */
export interface Judgement {
  readonly expected: boolean;
  readonly defect: string | null;
  /** The record that it says was created. */
  readonly record: string | undefined;
}

/** Of what will be repeated nothing is thought yet. */
export function judge(
  { expects, answered, line }: Wanted,
  { status, lost, body }: Received,
  repeated: boolean,
): Judgement {
  const isUnknown = lost !== null || status === null || status === 503 || repeated;
  if (isUnknown) return { expected: true, defect: null, record: undefined };
  if (!expects.includes(status)) {
    return { expected: false, defect: body.toString().slice(0, 300), record: undefined };
  }
  const record = status === 201 && line.startsWith('POST') ? idOf(body) : undefined;
  const isGood = status >= 200 && status < 300;
  return { expected: true, defect: isGood ? (answered?.(body) ?? null) : null, record };
}

/** Whether the write may have been stored, or another attempt with its key is still under way. */
export function isUnanswered({ status, lost, headers }: Received): boolean {
  if (lost !== null || status === null || status === 503) return true;
  return status === 409 && headers['retry-after'] !== undefined;
}

/** What an answer holds of what it must not. */
export function foreignIn({ headers, body }: Received, secrets: readonly string[]): string[] {
  const text = `${JSON.stringify(headers)}${body.toString()}`;
  return secrets.filter((secret) => text.includes(secret));
}

export function textOf(header: IncomingHttpHeaders[string]): string | null {
  return typeof header === 'string' ? header : null;
}
