import type { IncomingMessage } from 'node:http';
import { HEADER_LINES, TARGET_CHARACTERS } from '../limits.ts';

/**
 * The headers that the service and its libraries read, and the most characters of each: a longer one is refused before
 * it is parsed. A test checks that nobody reads another header.
 */
const LONGEST: Readonly<Record<string, number>> = {
  // A token of 2,000 clients has about 104,000 characters.
  authorization: 256 * 1024,

  host: 1_000,
  connection: 1_000,
  expect: 100,
  'content-length': 100,
  'content-type': 1_000,
  'content-encoding': 100,
  'transfer-encoding': 100,

  accept: 1_000,
  // `compression` reads this and cache-control.
  'accept-encoding': 1_000,

  'idempotency-key': 1_000,
  'if-match': 8_192,
  'if-none-match': 8_192,
  'if-range': 1_000,
  range: 1_000,

  // `send` reads these for the files of /docs.
  'if-modified-since': 100,
  'if-unmodified-since': 100,
  'cache-control': 1_000,

  // `cors` reads these, and `forwarded` for Express.
  origin: 1_000,
  'access-control-request-headers': 4_096,
  'x-forwarded-for': 8_192,

  // /docs looks for a proxy.
  forwarded: 8_192,
  via: 8_192,

  // Express reads protocol and host from these.
  'x-forwarded-proto': 1_000,
  'x-forwarded-host': 1_000,

  // The caller's trace; one of version 00 has 55 characters.
  traceparent: 255,

  // Cut before it is logged.
  'user-agent': 256 * 1024,
};

export const LINES_THAT_NODE_KEEPS = 2 * HEADER_LINES;

export const KNOWN_HEADERS: ReadonlySet<string> = new Set(Object.keys(LONGEST));

export function longestOf(name: string): number {
  return LONGEST[name] ?? 0;
}

export function isTargetTooLong({ url = '' }: IncomingMessage): boolean {
  return url.length > TARGET_CHARACTERS;
}

/** Completes the sentence "the header …"; undefined where all headers are within their limits. */
export function headerTooLong({ headers, rawHeaders }: IncomingMessage): string | undefined {
  if (rawHeaders.length > 2 * HEADER_LINES) return 'lines are too many';
  return Object.keys(LONGEST).find((name) => lengthOf(headers[name]) > longestOf(name));
}

function lengthOf(value: string | readonly string[] | undefined): number {
  if (value === undefined || typeof value === 'string') return value?.length ?? 0;
  return value.reduce((sum, one) => sum + one.length, 0);
}
