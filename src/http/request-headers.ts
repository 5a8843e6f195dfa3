import type { IncomingMessage } from 'node:http';
import { HEADER_LINES, TARGET_CHARACTERS } from '../limits.ts';

/**
 * Every header that is read here or by what we serve with, and how many characters of it are: what is longer is refused
 * before anybody parses it. What does not stand here is not read by anyone; a test holds both against the requests that
 * it makes.
 */
const LONGEST: Readonly<Record<string, number>> = {
  // A token of 2,000 clients has about 104,000: the bound of all headers together is theirs.
  authorization: 256 * 1024,

  host: 1_000,
  connection: 1_000,
  expect: 100,
  'content-length': 100,
  'content-type': 1_000,
  'content-encoding': 100,
  'transfer-encoding': 100,

  accept: 1_000,
  // By `compression`, as is cache-control.
  'accept-encoding': 1_000,

  'idempotency-key': 1_000,
  'if-match': 8_192,
  'if-none-match': 8_192,
  'if-range': 1_000,
  range: 1_000,

  // Of the files of /docs alone: the package `send` reads them.
  'if-modified-since': 100,
  'if-unmodified-since': 100,
  'cache-control': 1_000,

  // `cors` reads them, and `forwarded` for Express.
  origin: 1_000,
  'access-control-request-headers': 4_096,
  'x-forwarded-for': 8_192,

  // The people of /docs: whether there is a proxy.
  forwarded: 8_192,
  via: 8_192,

  // Express itself asks for these, to know the protocol and the host.
  'x-forwarded-proto': 1_000,
  'x-forwarded-host': 1_000,

  // The trace that the caller wants its request to belong to; one of version 00 has 55.
  traceparent: 255,

  // Only kept, and then cut.
  'user-agent': 256 * 1024,
};

export const LINES_THAT_NODE_KEEPS = 2 * HEADER_LINES;

/** The names of the headers that may be read. */
export const KNOWN_HEADERS: ReadonlySet<string> = new Set(Object.keys(LONGEST));

/** How many characters of a header are read. */
export function longestOf(name: string): number {
  return LONGEST[name] ?? 0;
}

/** Whether the target is longer than anything that it could mean. */
export function isTargetTooLong({ url = '' }: IncomingMessage): boolean {
  return url.length > TARGET_CHARACTERS;
}

/** The header that is longer than anything that it could mean, or what is wrong with all of them. */
export function headerTooLong({ headers, rawHeaders }: IncomingMessage): string | undefined {
  if (rawHeaders.length > 2 * HEADER_LINES) return 'lines are too many';
  return Object.keys(LONGEST).find((name) => lengthOf(headers[name]) > longestOf(name));
}

function lengthOf(value: string | readonly string[] | undefined): number {
  if (value === undefined || typeof value === 'string') return value?.length ?? 0;
  return value.reduce((sum, one) => sum + one.length, 0);
}
