import { randomUUID } from 'node:crypto';
import type { Answer, Question } from '../support/http.ts';
import type { Service } from '../support/service.ts';

/** A key that was never used. */
export const newKey = (): string => randomUUID();

/** The question with a key; its body as the very same text each time. */
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

/** All of an answer that has to be the same when it is given again. */
export function partsOf({ status, text, headers }: Answer): unknown {
  const { etag, location, 'content-type': type } = headers;
  return { status, text, etag, location, type };
}

/** How many rows a table has. */
export async function countOf(service: Service, table: string): Promise<number> {
  const [row] = await service.admin(`select count(*)::integer as rows from ${table}`);
  return Number(row?.['rows']);
}
