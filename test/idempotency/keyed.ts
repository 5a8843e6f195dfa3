import { randomUUID } from 'node:crypto';
import type { Answer, Question } from '../support/http.ts';
import type { Service } from '../support/service.ts';

export const newKey = (): string => randomUUID();

/**
 * Adds an Idempotency-Key to a request, and stores the request’s body as text, so that a repetition sends the same
 * bytes.
 */
export function withKey(key: string, question: Question): Question {
  const { body, headers } = question;
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
  return {
    ...question,
    headers: {
      ...(isJson && { 'content-type': 'application/json' }),
      ...headers,
      'idempotency-key': key,
    },
    ...(isJson && { body: JSON.stringify(body) }),
  };
}

/**
 * The parts of a creation’s answer that must be the same in the answer to a repetition with the same Idempotency-Key.
 */
export function partsOf({ status, text, headers }: Answer): unknown {
  const { etag, location, 'content-type': type } = headers;
  return { status, text, etag, location, type };
}

export async function countOf(service: Service, table: string): Promise<number> {
  const [row] = await service.admin(`select count(*)::integer as rows from ${table}`);
  return Number(row?.['rows']);
}
