import { REFUSAL_REASON_CHARACTERS } from './limits.ts';
import { cut } from './log.ts';

const GENERIC_REFUSAL = 'You do not have permission to access this resource.';

export const ERRORS = {
  ERROR_VALIDATION: { status: 400, message: 'The request is not valid.' },
  ERROR_UNAUTHORIZED: { status: 401, message: GENERIC_REFUSAL },
  ERROR_FORBIDDEN: { status: 403, message: GENERIC_REFUSAL },
  ERROR_NOT_FOUND: { status: 404, message: 'There is no such resource.' },
  ERROR_METHOD_NOT_ALLOWED: { status: 405, message: 'This method is not allowed here.' },
  ERROR_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive.' },
  ERROR_CONFLICT: { status: 409, message: 'The request conflicts with the present state of the resource.' },
  ERROR_PRECONDITION_FAILED: { status: 412, message: 'The resource has changed since it was read.' },
  ERROR_PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is too large.' },
  ERROR_URI_TOO_LONG: { status: 414, message: 'The path and query are too long.' },
  ERROR_UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The content type is not supported.' },
  ERROR_RANGE_NOT_SATISFIABLE: { status: 416, message: 'The content has no such range.' },
  ERROR_RATE_LIMITED: { status: 429, message: 'Too many requests.' },
  ERROR_HEADERS_TOO_LARGE: { status: 431, message: 'The request headers are too large.' },
  ERROR_INTERNAL: { status: 500, message: 'The request could not be completed.' },
  ERROR_UNAVAILABLE: { status: 503, message: 'The service is temporarily unavailable.' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

export const REFUSAL_KINDS = [
  'no_token',
  'bad_token',
  'revoked',
  'role',
  'client',
  'record',
  'rule',
  'password',
  'docs_page',
] as const;
export const LIMITERS = ['address', 'network', 'user', 'long_request', 'password'] as const;

export const UNAVAILABLE_CAUSES = [
  'database',
  'time_out',
  'contention',
  'read_only',
  'schema',
  'rights',
  'exhausted',
  'busy',
  'passwords',
  'provider',
  'documents',
  'refusal',
  'health',
] as const;

export type UnavailableCause = (typeof UNAVAILABLE_CAUSES)[number];
export type ErrorKind = (typeof REFUSAL_KINDS)[number] | (typeof LIMITERS)[number] | UnavailableCause;

interface RequestErrorOptions {
  readonly kind?: ErrorKind;
  /** Stands under `error.details`: names of fields and rules, never a policy's decision. */
  readonly details?: Readonly<Record<string, string>>;
  readonly mostDetails?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client whose data the refusal protected, for the audit record. */
  readonly clientContext?: string | null;
  readonly cause?: unknown;
}

/** `reason` goes to the log and the audit record; the body has the code's fixed message. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, string>> | undefined;
  readonly mostDetails: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly clientContext: string | null | undefined;
  readonly kind: ErrorKind | undefined;

  constructor(code: ErrorCode, reason: string, options: RequestErrorOptions = {}) {
    super(cut(reason, REFUSAL_REASON_CHARACTERS), { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.mostDetails = options.mostDetails ?? 20;
    this.headers = options.headers ?? {};
    this.clientContext = options.clientContext;
    this.kind = options.kind;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** A field that breaks a rule; the rule completes a sentence that begins with the field. */
export function invalid(
  field: string,
  rule: string,
  reason = `${field} ${rule}`,
  cause?: unknown,
): RequestError {
  return new RequestError('ERROR_VALIDATION', reason, { details: { [field]: rule }, cause });
}
