import { z } from 'zod';
import { RequestError } from '../../errors.ts';
import { toRequestError } from '../../http/errors.ts';
import { ROLES } from '../../identity/caller.ts';
import type { Role } from '../../identity/caller.ts';
import { isUuid } from '../../identity/uuid.ts';
import type { ProviderAccount } from './accounts.ts';

/* The shapes of Auth0's management interface, as far as the API has a use for them. */

/** What is answered, before it is written. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is wrong, as the interface says it. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** Further members of `app_metadata` are somebody else's, and are left alone. */
export const userChange = z.object({
  app_metadata: z
    .object({
      role: z.enum(ROLES).optional(),
      client_access: z
        .array(z.string().refine(isUuid))
        .max(10_000)
        .transform((ids) => [...new Set(ids.map((id) => id.toLowerCase()))])
        .optional(),
    })
    .optional(),
  blocked: z.boolean().optional(),
});

export const givenRoles = z.strictObject({ roles: z.array(z.string().max(100)).min(1).max(10) });

export function userOf({
  account,
  email,
  name,
  role,
  clientAccess,
  isActive,
  ...dates
}: ProviderAccount): object {
  return {
    user_id: account,
    email,
    email_verified: true,
    name,
    app_metadata: { role, client_access: clientAccess },
    blocked: !isActive,
    created_at: dates.createdAt,
    updated_at: dates.updatedAt,
  };
}

const ALL_ROLES = ROLES.map((name) => ({
  id: `rol_${name}`,
  name,
  description: `The role ${name} of the claims service`,
}));

export function rolesOf(query: URLSearchParams): unknown {
  const whole = (name: string, otherwise: number, most: number): number => {
    const text = query.get(name) ?? String(otherwise);
    if (!/^\d{1,4}$/.test(text) || Number(text) > most)
      throw invalid(`Query validation error: ${name} is not a number up to ${most}`);
    return Number(text);
  };
  const limit = whole('per_page', 50, 100);
  const start = whole('page', 0, 1_000) * limit;
  const roles = ALL_ROLES.slice(start, start + limit);
  if (query.get('include_totals') !== 'true') return roles;
  return { start, limit, total: ALL_ROLES.length, roles };
}

/** A user has one role here: of several, the last one named. */
export function roleOf(ids: readonly string[]): Role {
  const roles = ids.map((id) => ALL_ROLES.find((role) => role.id === id)?.name);
  const last = roles.at(-1);
  if (last === undefined || roles.includes(undefined))
    throw new Refusal(404, 'inexistent_role', 'One or more of the roles do not exist');
  return last;
}

export function invalid(message: string): Refusal {
  return new Refusal(400, 'invalid_body', message);
}

export function unknownUser(): Refusal {
  return new Refusal(404, 'inexistent_user', 'The user does not exist.');
}

/** A conflict, as of the last ADMIN, is a refused message: the same again would be refused again. */
export function refusalOf(thrown: unknown): Answer {
  if (thrown instanceof Refusal) return inTheirShape(thrown.status, thrown.code, thrown.message);
  const error = thrown instanceof RequestError ? thrown : toRequestError(thrown);
  if (error.status === 409) return inTheirShape(400, 'operation_not_supported', 'The change is not possible');
  if (error.status >= 500 && error.status !== 503) throw thrown;
  return {
    ...inTheirShape(error.status, 'invalid_request', TITLES[error.status] ?? 'Bad Request'),
    headers: { ...error.headers, ...(error.status === 503 ? { 'Retry-After': '5' } : {}) },
  };
}

function inTheirShape(statusCode: number, errorCode: string, message: string): Answer {
  return {
    status: statusCode,
    body: { statusCode, error: TITLES[statusCode] ?? 'Error', message, errorCode },
  };
}
