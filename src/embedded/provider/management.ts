import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { RequestError } from '../../errors.ts';
import { toRequestError } from '../../http/errors.ts';
import type { RequestState } from '../../http/request-state.ts';
import { ROLES } from '../../identity/caller.ts';
import type { Role } from '../../identity/caller.ts';
import { isUuid } from '../../identity/uuid.ts';
import type { Accounts, ProviderAccount } from './accounts.ts';
import { bodyText, JSON_BYTES } from './form.ts';

/** Where it is below the issuer, as at the provider whose paths and shapes these are. */
export const MANAGEMENT_PATH = '/api/v2';

const LONGEST_ID = 255;
const USER = /^\/users\/([^/]+)(\/roles)?$/;

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is wrong, as the interface says it. */
class Refusal extends Error {
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
const userChange = z.object({
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

const givenRoles = z.strictObject({ roles: z.array(z.string().max(100)).min(1).max(10) });

export interface ManagementOptions {
  readonly accounts: Accounts;
  /** What an administrator bears, and what the API does. */
  readonly credentials: { readonly management: string; readonly api: string };
}

/**
 * Answers what the API asks of an identity provider: users and their roles, in the shapes of Auth0. The API tells of rows
 * that are the provider's own, which have changed before it does: from the API it is a message that changes nothing, for
 * one that comes late would put back what another has changed since.
 */
export async function answerManagement(
  options: ManagementOptions,
  request: IncomingMessage,
  response: ServerResponse,
  state: RequestState,
): Promise<void> {
  const { status, body, headers } = await answerTo(options, request, state).catch(refusalOf);
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' }),
    ...(status === 204 ? {} : { 'Content-Length': Buffer.byteLength(text) }),
  });
  response.end(text);
}

async function answerTo(
  { accounts, credentials }: ManagementOptions,
  request: IncomingMessage,
  state: RequestState,
): Promise<Answer> {
  const isOwnApi = bears(request, credentials.api);
  if (!isOwnApi && !bears(request, credentials.management))
    throw new Refusal(401, 'invalid_token', 'Invalid token');
  const change = isOwnApi ? confirmed : changed;
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://identity');
  const path = pathname.slice(MANAGEMENT_PATH.length);
  if (path === '/roles') {
    allow(request, 'GET');
    return { status: 200, body: rolesOf(searchParams) };
  }
  const [, encoded, below] = USER.exec(path) ?? [];
  if (encoded === undefined) throw new Refusal(404, 'not_found', 'Not Found');
  const id = decoded(encoded);
  if (below !== undefined) {
    allow(request, 'POST');
    const { roles } = parsed(givenRoles, await json(request));
    await change(accounts, id, { role: roleOf(roles) }, state);
    return { status: 204 };
  }
  if (request.method === 'GET') return { status: 200, body: userOf(await found(accounts, id)) };
  allow(request, 'PATCH');
  const { app_metadata: rights, blocked } = parsed(userChange, await json(request));
  await change(
    accounts,
    id,
    {
      role: rights?.role,
      clientAccess: rights?.client_access,
      isActive: blocked === undefined ? undefined : !blocked,
    },
    state,
  );
  return { status: 200, body: userOf(await found(accounts, id)) };
}

/** In the same time whatever was sent. */
function bears({ headers }: IncomingMessage, credential: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return timingSafeEqual(digest(given), digest(credential));
}

function allow({ method }: IncomingMessage, allowed: string): void {
  if (method !== allowed) throw new Refusal(405, 'method_not_allowed', `Only ${allowed} is possible here`);
}

function decoded(encoded: string): string {
  let id = '';
  try {
    id = decodeURIComponent(encoded);
  } catch {
    throw invalid('Path validation error: the id is not percent-encoded UTF-8');
  }
  if (id.length > LONGEST_ID || id.includes('\0')) throw unknownUser();
  return id;
}

async function json(request: IncomingMessage): Promise<unknown> {
  const text = await bodyText(request, 'application/json', JSON_BYTES);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('Payload validation error: the body is no JSON');
  }
}

function parsed<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const path = result.error.issues[0]?.path.join('.') ?? '';
  throw invalid(`Payload validation error: ${path || 'the body'} is not what it should be`);
}

async function found(accounts: Accounts, id: string): Promise<ProviderAccount> {
  const account = await accounts.find(id);
  if (account === undefined) throw unknownUser();
  return account;
}

async function confirmed(accounts: Accounts, id: string): Promise<void> {
  await found(accounts, id);
}

async function changed(
  accounts: Accounts,
  id: string,
  changes: Parameters<Accounts['change']>[1],
  state: RequestState,
): Promise<void> {
  if (!(await accounts.change(id, changes, state))) throw unknownUser();
}

function userOf({ account, email, name, role, clientAccess, isActive, ...dates }: ProviderAccount): object {
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

function rolesOf(query: URLSearchParams): unknown {
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
function roleOf(ids: readonly string[]): Role {
  const roles = ids.map((id) => ALL_ROLES.find((role) => role.id === id)?.name);
  const last = roles.at(-1);
  if (last === undefined || roles.includes(undefined))
    throw new Refusal(404, 'inexistent_role', 'One or more of the roles do not exist');
  return last;
}

function invalid(message: string): Refusal {
  return new Refusal(400, 'invalid_body', message);
}

function unknownUser(): Refusal {
  return new Refusal(404, 'inexistent_user', 'The user does not exist.');
}

/** A conflict, as of the last ADMIN, is a refused message: the same again would be refused again. */
function refusalOf(thrown: unknown): Answer {
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
