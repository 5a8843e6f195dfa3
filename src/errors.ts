import { REFUSAL_REASON_CHARACTERS } from './limits.ts';
import { truncate } from './log.ts';
import { formatProblemText, type Language, type ProblemRule } from './problems.ts';

const GENERIC_REFUSAL_TEXTS = {
  en: 'You do not have permission to access this resource.',
  fr: 'Vous n’êtes pas autorisé à accéder à cette ressource.',
};

// prettier-ignore
export const ERRORS_BY_CODE = {
  ERROR_VALIDATION: { status: 400, en: 'The request is not valid.', fr: 'La demande n’est pas valide.' },
  ERROR_UNAUTHORIZED: { status: 401, ...GENERIC_REFUSAL_TEXTS },
  ERROR_FORBIDDEN: { status: 403, ...GENERIC_REFUSAL_TEXTS },
  ERROR_NOT_FOUND: { status: 404, en: 'There is no such resource.', fr: 'Cette ressource n’existe pas.' },
  ERROR_METHOD_NOT_ALLOWED: { status: 405, en: 'This method is not allowed here.', fr: 'Cette méthode n’est pas admise ici.' },
  ERROR_REQUEST_TIMEOUT: { status: 408, en: 'The request took too long to arrive.', fr: 'La demande a mis trop de temps à arriver.' },
  ERROR_CONFLICT: { status: 409, en: 'The request conflicts with the current state of the resource.', fr: 'La demande est incompatible avec l’état actuel de la ressource.' },
  ERROR_PRECONDITION_FAILED: { status: 412, en: 'The resource has changed since it was read.', fr: 'La ressource a changé depuis sa lecture.' },
  ERROR_PAYLOAD_TOO_LARGE: { status: 413, en: 'The request body is too large.', fr: 'Le contenu envoyé est trop volumineux.' },
  ERROR_URI_TOO_LONG: { status: 414, en: 'The path and query are too long.', fr: 'L’adresse demandée est trop longue.' },
  ERROR_UNSUPPORTED_MEDIA_TYPE: { status: 415, en: 'The content type is not supported.', fr: 'Ce type de contenu n’est pas accepté.' },
  ERROR_RANGE_NOT_SATISFIABLE: { status: 416, en: 'The content has no such range.', fr: 'Le contenu n’a pas cette partie.' },
  ERROR_RATE_LIMITED: { status: 429, en: 'Too many requests.', fr: 'Trop de demandes.' },
  ERROR_HEADERS_TOO_LARGE: { status: 431, en: 'The request headers are too large.', fr: 'Les en-têtes de la demande sont trop longs.' },
  ERROR_INTERNAL: { status: 500, en: 'The request could not be completed.', fr: 'La demande n’a pas pu être traitée.' },
  ERROR_UNAVAILABLE: { status: 503, en: 'The service is temporarily unavailable.', fr: 'Le service est momentanément indisponible.' },
} as const satisfies Readonly<Record<string, { status: number } & Record<Language, string>>>;

export type ErrorCode = keyof typeof ERRORS_BY_CODE;

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
  'calendar',
] as const;
export const LIMITER_NAMES = [
  'address',
  'network',
  'user',
  'transactions',
  'long_request',
  'streams',
  'password',
] as const;

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
export type ErrorKind = (typeof REFUSAL_KINDS)[number] | (typeof LIMITER_NAMES)[number] | UnavailableCause;

export type BrokenRuleByField = Readonly<Record<string, ProblemRule>>;

/** The position of an imported row: its line in a CSV file, or its index in an array. */
export type RowPosition = { readonly line: number } | { readonly index: number };

/**
 * A request field that breaks a rule; a refusal by a row-level security policy is reported without a Problem. An empty
 * field name stands for the whole imported row.
 */
export interface Problem {
  readonly field: string;
  readonly rule: ProblemRule;
  readonly position?: RowPosition | undefined;
}

interface RequestErrorOptions {
  readonly kind?: ErrorKind;
  readonly problems?: readonly Problem[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The client whose data the caller must not see; the audit record of the refusal names this client. */
  readonly clientContext?: string | null;
  readonly cause?: unknown;
}

/** `reason` goes to the log and the audit record only; the response body has the fixed message of the error code. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: ErrorCode;
  readonly problems: readonly Problem[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly clientContext: string | null | undefined;
  readonly kind: ErrorKind | undefined;

  constructor(code: ErrorCode, reason: string, options: RequestErrorOptions = {}) {
    super(truncate(reason, REFUSAL_REASON_CHARACTERS), { cause: options.cause });
    this.code = code;
    this.problems = options.problems;
    this.headers = options.headers ?? {};
    this.clientContext = options.clientContext;
    this.kind = options.kind;
  }

  get status(): number {
    return ERRORS_BY_CODE[this.code].status;
  }

  /** True if the audit log records the error: 401, 403, and the 404 of an unknown calendar address. */
  get isAuditedRefusal(): boolean {
    return this.status === 401 || this.status === 403 || this.kind === 'calendar';
  }
}

export function createFieldProblems(rules: BrokenRuleByField): readonly Problem[] {
  return Object.entries(rules).map(([field, rule]) => ({ field, rule }));
}

/** The key of a problem in `details`, such as `amount`, `line 17, amount` in a CSV file, or `16.amount` in an array. */
export function problemFieldName({ field, position }: Problem): string {
  if (position === undefined) return field;
  const [row, sign] = 'line' in position ? [`line ${position.line}`, ', '] : [String(position.index), '.'];
  return field === '' ? row : row + sign + field;
}

export function problemsText(problems: readonly Problem[]): string {
  return problems.map((problem) => `${problemFieldName(problem)} ${formatProblemText(problem.rule)}`).join('; ');
}

export function hungUpError(): RequestError {
  return new RequestError('ERROR_VALIDATION', 'the request was broken off');
}

export function validationError(field: string, rule: ProblemRule, reason?: string, cause?: unknown): RequestError {
  const problems = [{ field, rule }];
  return new RequestError('ERROR_VALIDATION', reason ?? problemsText(problems), { problems, cause });
}
