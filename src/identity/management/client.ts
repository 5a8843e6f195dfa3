import { z } from 'zod';
import type { ManagementConfig } from '../../config.ts';
import * as limit from '../../limits.ts';
import { retryWithBackoff } from '../../retries.ts';
import { shortenToSingleLine } from '../../single-line.ts';
import { readBoundedText } from '../bounded-fetch.ts';
import { createManagementCredential } from './credential.ts';
import { ManagementError, readRetryAfterMs, type FailureKind } from './errors.ts';

export interface UserRights {
  readonly role: string;
  readonly clientAccess: readonly string[];
  readonly isActive: boolean;
}

export interface ProviderRights extends Pick<UserRights, 'isActive'> {
  readonly role: string | undefined;
  readonly clientAccess: readonly string[] | undefined;
}

interface RequestDeadline {
  readonly deadline: number;
  readonly signal: AbortSignal;
}

export type ManagementClient = ReturnType<typeof openManagementClient>;

const WRONG_ADDRESS_HINT = 'is AUTH_MANAGEMENT_URL right?';
const EMAIL_PATTERN = /[^\s<>"'(),;:]{1,64}@[^\s<>"'(),;:]{1,255}/g;
const UUID_PATTERN = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export function openManagementClient(
  config: ManagementConfig,
  { answerMs = limit.PROVIDER_RESPONSE_TIMEOUT_MS, retryMs = limit.MANAGEMENT_RETRY_PAUSE_MS } = {},
) {
  const { ask, remainingPauseMs } = createRequester(config, answerMs, retryMs);
  let cachedRoles: { readonly ids: ReadonlyMap<string, string>; readonly until: number } | undefined;

  async function readRoleIds(time: RequestDeadline): Promise<ReadonlyMap<string, string>> {
    if (cachedRoles !== undefined && performance.now() < cachedRoles.until) return cachedRoles.ids;
    const ids = new Map<string, string>();
    for (let page = 0; page < limit.MAX_MANAGEMENT_ROLES_PAGES; page += 1) {
      const path = `/roles?per_page=${String(limit.MANAGEMENT_ROLES_PAGE_SIZE)}&page=${String(page)}&include_totals=true`;
      const found = parseRoles(await ask({ method: 'GET', path }, time).catch(noRolesIfUnsupported));
      found.forEach(({ id, name }) => ids.set(name, id));
      if (found.length < limit.MANAGEMENT_ROLES_PAGE_SIZE) break;
    }
    cachedRoles = { ids, until: performance.now() + limit.MANAGEMENT_ROLES_CACHE_MS };
    return ids;
  }

  return {
    read: (subject: string, time: RequestDeadline): Promise<ProviderRights> =>
      hideIdsInErrors(subject, async () =>
        parseProviderRights(await ask({ method: 'GET', path: userPath(subject) }, time)),
      ),
    send: (subject: string, { role, clientAccess, isActive }: UserRights, time: RequestDeadline): Promise<void> =>
      hideIdsInErrors(subject, async () => {
        const path = userPath(subject);
        const body = { app_metadata: { role, client_access: clientAccess }, blocked: !isActive };
        parseProviderRights((await ask({ method: 'PATCH', path, body }, time)) ?? {});
        const id = (await readRoleIds(time)).get(role);
        if (id !== undefined) await ask({ method: 'POST', path: `${path}/roles`, body: { roles: [id] } }, time);
      }),
    /** Deletes a user. If the provider refuses the deletion, blocks the user and throws; a retry follows. */
    erase: (subject: string, time: RequestDeadline): Promise<void> =>
      hideIdsInErrors(subject, async () => {
        const path = userPath(subject);
        try {
          await ask({ method: 'DELETE', path }, time);
        } catch (error) {
          const body = { app_metadata: { role: null, client_access: [] }, blocked: true };
          if (isFailureKind(error, 'refused')) await ask({ method: 'PATCH', path, body }, time);
          throw error;
        }
      }).catch((error: unknown) => {
        if (!isFailureKind(error, 'unknown')) throw error;
      }),
    remainingPauseMs,
  };
}

/** Sends requests with a credential, repeats those without an answer, and pauses when the provider asks for it. */
function createRequester(config: ManagementConfig, answerMs: number, retryMs: number) {
  const baseUrl = config.url.replace(/\/+$/, '');
  const credential = createManagementCredential(config);
  let pausedUntil = -Infinity;

  async function askOnce(request: ProviderRequest, time: RequestDeadline): Promise<unknown> {
    const token = await credential.token();
    let answer = await sendRequest(baseUrl, request, token, time, answerMs);
    if (answer.response.status === 401 && credential.discard(token))
      answer = await sendRequest(baseUrl, request, await credential.token(), time, answerMs);
    const { value, failure, pauseMs } = readAnswer(request.method, answer);
    if (pauseMs !== undefined) pausedUntil = Math.max(pausedUntil, performance.now() + pauseMs);
    if (failure !== undefined) throw failure;
    return value;
  }

  return {
    ask: (request: ProviderRequest, time: RequestDeadline): Promise<unknown> =>
      retryWithBackoff(() => askOnce(request, time), {
        pausesMs: [retryMs, 2 * retryMs],
        deadline: time.deadline,
        signal: time.signal,
        shouldRetry: (error, attempt) =>
          attempt <= limit.MANAGEMENT_RETRIES &&
          error instanceof ManagementError &&
          error.kind === 'away' &&
          error.retryAfterMs === undefined,
      }).catch((cause: unknown) => {
        if (cause instanceof ManagementError) throw cause;
        throw new ManagementError('away', 'the time to ask was over', { cause });
      }),
    remainingPauseMs: (): number => Math.max(0, pausedUntil - performance.now()),
  };
}

async function sendRequest(
  baseUrl: string,
  { method, path, body }: ProviderRequest,
  token: string,
  time: RequestDeadline,
  answerMs: number,
) {
  // A process that was suspended may hold outdated rights, so no request is sent after `time.deadline`.
  if (performance.now() > time.deadline) throw new ManagementError('away', 'there was no time left to ask');
  try {
    const response = await fetch(baseUrl + path, {
      method,
      redirect: 'error',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([time.signal, AbortSignal.timeout(answerMs)]),
    });
    return { response, text: await readBoundedText(response, limit.MANAGEMENT_RESPONSE_BYTES, 'the answer') };
  } catch (cause) {
    throw new ManagementError('away', `the provider gave no answer: ${fetchFailureReason(cause)}`, { cause });
  }
}

interface ReadAnswer {
  readonly value?: unknown;
  readonly failure?: ManagementError;
  /** For how long the provider wants no further request. */
  readonly pauseMs?: number | undefined;
}

function readAnswer(method: string, { response, text }: Awaited<ReturnType<typeof sendRequest>>): ReadAnswer {
  const { status, headers } = response;
  const waitMs = readRetryAfterMs(headers);
  if (response.ok) {
    const pauseMs = headers.get('x-ratelimit-remaining') === '0' ? waitMs : undefined;
    if (text.trim() === '') return { pauseMs };
    const value = parseJson(text);
    return value === undefined ? { failure: unexpectedAnswer('JSON'), pauseMs } : { value, pauseMs };
  }
  const kind = classifyFailure(method, status, text);
  const isLimited = kind === 'limited';
  const retryAfterMs = waitMs ?? (isLimited ? limit.MANAGEMENT_RATE_LIMITED_WAIT_MS : undefined);
  const hint = kind === 'address' ? `; ${WRONG_ADDRESS_HINT}` : '';
  const said = `the provider answered ${String(status)}${failureMessage(text)}${hint}`;
  return { failure: new ManagementError(kind, said, { retryAfterMs }), pauseMs: isLimited ? retryAfterMs : undefined };
}

async function hideIdsInErrors<T>(subject: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof ManagementError)) throw error;
    const hidden = error.message.replaceAll(subject, '…').replaceAll(UUID_PATTERN, '…').replaceAll(EMAIL_PATTERN, '…');
    const { kind, retryAfterMs, cause } = error;
    throw new ManagementError(kind, hidden, { retryAfterMs, cause });
  }
}

function userPath(subject: string): string {
  // `/users/.` is the address of the list of users.
  if (['.', '..'].includes(subject)) throw new ManagementError('refused', 'the subject is no name of one user');
  return `/users/${encodeURIComponent(subject)}`;
}

function classifyFailure(method: string, status: number, text: string): FailureKind {
  if (status === 404 && readFailureDetails(text).errorCode?.startsWith('inexistent_')) return 'unknown';
  // A refused DELETE means that the credential may not delete users or that the provider does not support DELETE.
  if (method === 'DELETE' && [403, 404, 405].includes(status)) return 'refused';
  if (status === 401 || status === 403) return 'credential';
  if (status === 404) return 'address';
  if (status === 405) return 'address';
  if (status === 429) return 'limited';
  return status >= 400 && status < 500 && status !== 408 ? 'refused' : 'away';
}

function isFailureKind(error: unknown, ...kinds: readonly FailureKind[]): boolean {
  return error instanceof ManagementError && kinds.includes(error.kind);
}

function noRolesIfUnsupported(error: unknown): unknown {
  if (isFailureKind(error, 'unknown', 'address')) return [];
  throw error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const unexpectedAnswer = (what: string): ManagementError =>
  new ManagementError('away', `the provider answered something that is no ${what}`);

const said = z.string().min(1).optional().catch(undefined);
const failureSchema = z.object({ errorCode: said, error: said, message: said }).catch({});

const readFailureDetails = (text: string) => failureSchema.parse(parseJson(text));

function failureMessage(text: string): string {
  const { errorCode, error, message } = readFailureDetails(text);
  const parts = [errorCode ?? error, message].filter((said) => said !== undefined);
  return parts.length === 0 ? '' : `: ${shortenToSingleLine(parts.join(', '), limit.MANAGEMENT_MESSAGE_CHARACTERS)}`;
}

/** Requires only what the service uses: a provider may leave out everything else, or fill it in its own way. */
const userSchema = z.object({
  blocked: z.unknown().optional(),
  app_metadata: z
    .object({
      role: z.string().optional().catch(undefined),
      client_access: z.array(z.string()).optional().catch(undefined),
    })
    .catch({}),
});

function parseProviderRights(body: unknown): ProviderRights {
  const { success, data } = userSchema.safeParse(body);
  if (!success) throw unexpectedAnswer('user');
  const { role, client_access: clientAccess } = data.app_metadata;
  return { role, clientAccess, isActive: data.blocked !== true };
}

const roleSchema = z.object({ id: z.string(), name: z.string() });
const roleListSchema = z.union([z.array(z.unknown()), z.object({ roles: z.array(z.unknown()) })]);

function parseRoles(body: unknown) {
  const { success, data } = roleListSchema.safeParse(body);
  if (!success) throw unexpectedAnswer('list of roles');
  return (Array.isArray(data) ? data : data.roles).flatMap((one) => roleSchema.safeParse(one).data ?? []);
}

function fetchFailureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'it took too long';
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return shortenToSingleLine(error.message, limit.MANAGEMENT_MESSAGE_CHARACTERS);
}
