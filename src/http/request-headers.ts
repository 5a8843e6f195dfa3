import type { IncomingMessage } from 'node:http';
import { MAX_HEADER_LINES } from '../limits.ts';

/** The maximum length of each header that the service reads; a longer header is refused before it is parsed. */
export const MAX_HEADER_LENGTHS: Readonly<Record<string, number>> = {
  authorization: 256 * 1024,

  host: 1_000,
  connection: 1_000,
  expect: 100,
  'content-length': 100,
  'content-type': 1_000,
  'content-encoding': 100,
  'transfer-encoding': 100,

  accept: 1_000,
  'accept-encoding': 1_000,
  'accept-language': 1_000,

  'idempotency-key': 1_000,
  'last-event-id': 2_000,
  'if-match': 8_192,
  'if-none-match': 8_192,
  'if-range': 1_000,
  range: 1_000,

  'if-modified-since': 100,
  'if-unmodified-since': 100,
  'cache-control': 1_000,

  origin: 1_000,
  'access-control-request-headers': 4_096,
  'x-forwarded-for': 8_192,

  forwarded: 8_192,
  via: 8_192,

  'x-forwarded-proto': 1_000,
  'x-forwarded-host': 1_000,

  // A traceparent header of version 00 has 55 characters.
  traceparent: 255,

  'user-agent': 256 * 1024,
};

/** Completes the error message "the header …" for too long or too many headers, otherwise returns undefined. */
export function describeTooLongHeader({ headers, rawHeaders }: IncomingMessage): string | undefined {
  if (rawHeaders.length > 2 * MAX_HEADER_LINES) return 'lines are too many';
  return Object.keys(MAX_HEADER_LENGTHS).find(
    (name) => countHeaderCharacters(headers[name]) > (MAX_HEADER_LENGTHS[name] ?? 0),
  );
}

function countHeaderCharacters(value: string | readonly string[] = ''): number {
  return typeof value === 'string' ? value.length : value.reduce((sum, one) => sum + one.length, 0);
}
