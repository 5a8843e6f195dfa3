import type { ErrorCode } from '../../errors.ts';

/* Describes the response headers, except general HTTP headers such as Content-Length. */

const textSchema = { type: 'string' } as const;

export const HEADER_DESCRIPTIONS = {
  'X-Request-Id': {
    description: 'Id of the request, as in the log and the audit log.',
    schema: { type: 'string', format: 'uuid' },
  },
  'Cache-Control': {
    description: '`no-store`, or `private, no-cache` for responses that a browser may cache.',
    schema: textSchema,
  },
  'Content-Language': {
    description: 'Language of the error messages, `en` or `fr`, chosen by `Accept-Language`.',
    schema: textSchema,
  },
  RateLimit: {
    description:
      'For each rate limit (per IP address, per IPv6 network, per user): requests left (`r`) and seconds until the limit resets (`t`).',
    schema: textSchema,
  },
  'RateLimit-Policy': {
    description: 'For each rate limit: maximum number of requests (`q`) per window of `w` seconds.',
    schema: textSchema,
  },
  'Retry-After': {
    description: 'Number of seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': { description: '`Bearer`: the request needs an access token.', schema: textSchema },
  ETag: {
    description:
      'Version of the record, list or content. Send it in `If-None-Match`; the ETag of a record also works in `If-Match`.',
    schema: textSchema,
  },
  Location: { description: 'Address of the created record; with 307, of the content.', schema: textSchema },
  Link: {
    description: 'Address of the next page, with `rel="next"`; absent on the last page.',
    schema: textSchema,
    required: false,
  },
  'X-Total-Count': {
    description: 'Number of records on all pages; only sent with `count=exact`.',
    schema: { type: 'integer', minimum: 0 },
    required: false,
  },
  'Content-Disposition': { description: '`attachment`, with the file name.', schema: textSchema },
  'Accept-Ranges': { description: '`bytes`: the `Range` header is supported.', schema: textSchema },
  'Content-Range': {
    description: 'Returned bytes and total size; with 416, only the total size.',
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
