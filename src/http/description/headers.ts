import type { ErrorCode } from '../../errors.ts';

/* The headers of answers, without those that HTTP sends with any message, such as Content-Length. */

const text = { type: 'string' } as const;

export const HEADERS = {
  'X-Request-Id': {
    description: 'Names this request, also in the log and in the audit log.',
    schema: { type: 'string', format: 'uuid' },
  },
  'Cache-Control': { description: 'no-store; private, no-cache for what a browser may keep.', schema: text },
  'Content-Language': {
    description: 'en or fr, whichever Accept-Language prefers: the language of an error.',
    schema: text,
  },
  RateLimit: {
    description:
      'For each limit that counts the request, by address, by network of IPv6 and by user: how many are left (r), and in how many seconds it starts anew (t).',
    schema: text,
  },
  'RateLimit-Policy': {
    description: 'Each of those limits: how many requests (q) in how many seconds (w).',
    schema: text,
  },
  'Retry-After': {
    description: 'In how many seconds to try again.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': { description: 'Bearer: a token is asked for.', schema: text },
  ETag: {
    description:
      'The version of the record, the list or the content, for If-None-Match; that of a record also for If-Match.',
    schema: text,
  },
  Location: { description: 'The address of what was created, or, with 307, of the content.', schema: text },
  Link: {
    description: 'The address of the next page, rel="next"; absent on the last one.',
    schema: text,
    required: false,
  },
  'X-Total-Count': {
    description: 'How many records there are on all pages, where count=exact asks for it.',
    schema: { type: 'integer', minimum: 0 },
    required: false,
  },
  'Content-Disposition': { description: 'attachment, with the name of the file.', schema: text },
  'Accept-Ranges': { description: 'bytes: Range can ask for a part.', schema: text },
  'Content-Range': {
    description: 'Which bytes these are, of how many; with 416, of how many alone.',
    schema: text,
  },
} as const;

export type HeaderName = keyof typeof HEADERS;

export interface Sent {
  readonly always: readonly HeaderName[];
  readonly sometimes?: readonly HeaderName[];
}

type Header = (typeof HEADERS)[HeaderName] | { $ref: string };

export function headersOf({ always, sometimes = [] }: Sent): Record<string, Header> {
  const shared = (name: HeaderName): [string, Header] => [name, { $ref: `#/components/headers/${name}` }];
  return Object.fromEntries([
    ...always.map(shared),
    ...sometimes.map((name): [string, Header] =>
      'required' in HEADERS[name] ? shared(name) : [name, HEADERS[name]],
    ),
  ]);
}

export function everySent(isCounted: boolean): readonly HeaderName[] {
  return ['X-Request-Id', 'Cache-Control', ...(isCounted ? COUNTED : [])];
}

const COUNTED = ['RateLimit', 'RateLimit-Policy'] as const;

const EARLY: readonly ErrorCode[] = [
  'ERROR_VALIDATION',
  'ERROR_REQUEST_TIMEOUT',
  'ERROR_PAYLOAD_TOO_LARGE',
  'ERROR_URI_TOO_LONG',
  'ERROR_HEADERS_TOO_LARGE',
];

const OWN: Readonly<Partial<Record<ErrorCode, readonly HeaderName[]>>> = {
  ERROR_UNAUTHORIZED: ['WWW-Authenticate'],
  ERROR_RANGE_NOT_SATISFIABLE: ['Content-Range'],
  ERROR_RATE_LIMITED: ['Retry-After'],
  ERROR_UNAVAILABLE: ['Retry-After'],
};

export function sentWithError(code: ErrorCode, isCounted: boolean, isRepeatable: boolean): Sent {
  const isEarly = isCounted && EARLY.includes(code);
  return {
    always: [...everySent(isCounted && !isEarly), 'Content-Language', ...(OWN[code] ?? [])],
    sometimes: [...(isEarly ? COUNTED : []), ...(isRepeatable ? (['Retry-After'] as const) : [])],
  };
}
