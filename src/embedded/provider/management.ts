import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { RequestState } from '../../http/request-state.ts';
import type { Accounts, ProviderAccount } from './accounts.ts';
import { bodyText, JSON_BYTES } from './form.ts';
import {
  givenRoles,
  invalid,
  Refusal,
  refusalOf,
  roleOf,
  rolesOf,
  unknownUser,
  userChange,
  userOf,
} from './management-shapes.ts';
import type { Answer } from './management-shapes.ts';

/** Where it is below the issuer, as at the provider whose paths and shapes these are. */
export const MANAGEMENT_PATH = '/api/v2';

const LONGEST_ID = 255;
const USER = /^\/users\/([^/]+)(\/roles)?$/;

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
