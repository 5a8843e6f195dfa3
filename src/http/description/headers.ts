import type { ErrorCode } from '../../errors.ts';

/* Describes the response headers, except general HTTP headers such as Content-Length. */

const textSchema = { type: 'string' } as const;

export const HEADER_DESCRIPTIONS = {
  'X-Request-Id': {
    description: 'Names this request, also in the log and in the audit log.',
    schema: { type: 'string', format: 'uuid' },
  },
  'Cache-Control': { description: 'no-store; private, no-cache for what a browser may keep.', schema: textSchema },
  'Content-Language': {
    description: 'en or fr, whichever Accept-Language prefers: the language of an error.',
    schema: textSchema,
  },
  RateLimit: {
    description:
      'For each limit that counts the request, by address, by network of IPv6 and by user: how many are left (r), and in how many seconds it starts anew (t).',
    schema: textSchema,
  },
  'RateLimit-Policy': {
    description: 'Each of those limits: how many requests (q) in how many seconds (w).',
    schema: textSchema,
  },
  'Retry-After': { description: 'In how many seconds to try again.', schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': { description: 'Bearer: a token is asked for.', schema: textSchema },
  ETag: {
    description:
      'The version of the record, the list or the content, for If-None-Match; that of a record also for If-Match.',
    schema: textSchema,
  },
  Location: { description: 'The address of what was created, or, with 307, of the content.', schema: textSchema },
  Link: {
    description: 'The address of the next page, rel="next"; absent on the last one.',
    schema: textSchema,
    required: false,
  },
  'X-Total-Count': {
    description: 'How many records there are on all pages, where count=exact asks for it.',
    schema: { type: 'integer', minimum: 0 },
    required: false,
  },
  'Content-Disposition': { description: 'attachment, with the name of the file.', schema: textSchema },
  'Accept-Ranges': { description: 'bytes: Range can ask for a part.', schema: textSchema },
  'Content-Range': {
    description: 'Which bytes these are, of how many; with 416, of how many alone.',
    schema: textSchema,
  },
} as const;

export type HeaderName = keyof typeof HEADER_DESCRIPTIONS;

interface SentHeaders {
  readonly certain: readonly HeaderName[];
  readonly possible?: readonly HeaderName[];
}

type Header = (typeof HEADER_DESCRIPTIONS)[HeaderName] | { $ref: string };

export function describeHeaders({ certain, possible = [] }: SentHeaders): Record<string, Header> {
  const refer = (name: HeaderName): [string, Header] => [name, { $ref: `#/components/headers/${name}` }];
  return Object.fromEntries([
    ...certain.map(refer),
    ...possible.map((name): [string, Header] =>
      'required' in HEADER_DESCRIPTIONS[name] ? refer(name) : [name, HEADER_DESCRIPTIONS[name]],
    ),
  ]);
}

export function determineCommonHeaders(isCounted: boolean): readonly HeaderName[] {
  return ['X-Request-Id', 'Cache-Control', ...(isCounted ? RATE_LIMIT_HEADERS : [])];
}

const RATE_LIMIT_HEADERS = ['RateLimit', 'RateLimit-Policy'] as const;

const ERRORS_BEFORE_COUNTING: readonly ErrorCode[] = [
  'ERROR_VALIDATION',
  'ERROR_REQUEST_TIMEOUT',
  'ERROR_PAYLOAD_TOO_LARGE',
  'ERROR_URI_TOO_LONG',
  'ERROR_HEADERS_TOO_LARGE',
];

const HEADERS_BY_ERROR: Readonly<Partial<Record<ErrorCode, readonly HeaderName[]>>> = {
  ERROR_UNAUTHORIZED: ['WWW-Authenticate'],
  ERROR_RANGE_NOT_SATISFIABLE: ['Content-Range'],
  ERROR_RATE_LIMITED: ['Retry-After'],
  ERROR_UNAVAILABLE: ['Retry-After'],
};

export function determineErrorHeaders(code: ErrorCode, isCounted: boolean, isRepeatable: boolean): SentHeaders {
  const mayPrecede = isCounted && ERRORS_BEFORE_COUNTING.includes(code);
  return {
    certain: [
      ...determineCommonHeaders(isCounted && !mayPrecede),
      'Content-Language',
      ...(HEADERS_BY_ERROR[code] ?? []),
    ],
    possible: [...(mayPrecede ? RATE_LIMIT_HEADERS : []), ...(isRepeatable ? (['Retry-After'] as const) : [])],
  };
}
