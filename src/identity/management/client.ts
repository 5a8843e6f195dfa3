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

export interface RequestDeadline {
  readonly deadline: number;
  readonly signal: AbortSignal;
}

export type ManagementClient = ReturnType<typeof openManagementClient>;

const WRONG_ADDRESS_HINT = 'is AUTH_MANAGEMENT_URL right?';
const EMAIL_PATTERN = /[^\s<>"'(),;:]{1,64}@[^\s<>"'(),;:]{1,255}/g;
const UUID_PATTERN = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

export function openManagementClient(
  config: ManagementConfig,
  { answerMs = limit.PROVIDER_RESPONSE_TIMEOUT_MS, retryMs = limit.MANAGEMENT_RETRY_PAUSE_MS } = {},
) {
  const baseUrl = config.url.replace(/\/+$/, '');
  const credential = createManagementCredential(config);
  let pausedUntil = -Infinity;
  let cachedRoles: { readonly ids: ReadonlyMap<string, string>; readonly until: number } | undefined;

  function pauseRequests(ms: number | undefined): void {
    if (ms !== undefined) pausedUntil = Math.max(pausedUntil, performance.now() + ms);
  }

  async function sendAuthorized(method: string, path: string, body: unknown, time: RequestDeadline): Promise<unknown> {
    const token = await credential.token();
    const { response, text } = await sendOnce(method, path, body, token, time);
    if (response.status === 401 && credential.discard(token)) {
      const renewed = await credential.token();
      return readResponse(method, await sendOnce(method, path, body, renewed, time));
    }
    return readResponse(method, { response, text });
  }

  async function sendOnce(method: string, path: string, body: unknown, token: string, time: RequestDeadline) {
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
      return {
        response,
        text: await readBoundedText(response, limit.MANAGEMENT_RESPONSE_BYTES, 'the answer'),
      };
    } catch (cause) {
      throw new ManagementError('away', `the provider gave no answer: ${fetchFailureReason(cause)}`, {
        cause,
      });
    }
  }

  function readResponse(method: string, { response, text }: Awaited<ReturnType<typeof sendOnce>>): unknown {
    const { status, headers } = response;
    if (response.ok) {
      if (headers.get('x-ratelimit-remaining') === '0') pauseRequests(readRetryAfterMs(headers));
      if (text.trim() === '') return undefined;
      const json = parseJson(text);
      if (json === undefined) throw unexpectedAnswer('JSON');
      return json;
    }
    const kind = classifyFailure(method, status, text);
    const isLimited = kind === 'limited';
    const retryAfterMs = readRetryAfterMs(headers) ?? (isLimited ? limit.MANAGEMENT_RATE_LIMITED_WAIT_MS : undefined);
    if (isLimited) pauseRequests(retryAfterMs);
    const said = `the provider answered ${String(status)}${failureMessage(text)}`;
    throw new ManagementError(kind, kind === 'address' ? `${said}; ${WRONG_ADDRESS_HINT}` : said, {
      retryAfterMs,
    });
  }

  function ask(method: string, path: string, time: RequestDeadline, body?: unknown): Promise<unknown> {
    return retryWithBackoff(() => sendAuthorized(method, path, body, time), {
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
    });
  }

  async function readRoleIds(time: RequestDeadline): Promise<ReadonlyMap<string, string>> {
    if (cachedRoles !== undefined && performance.now() < cachedRoles.until) return cachedRoles.ids;
    const ids = new Map<string, string>();
    for (let page = 0; page < limit.MAX_MANAGEMENT_ROLES_PAGES; page += 1) {
      const path = `/roles?per_page=${String(limit.MANAGEMENT_ROLES_PAGE_SIZE)}&page=${String(page)}&include_totals=true`;
      const found = parseRoles(await ask('GET', path, time).catch(noRolesIfUnsupported));
      found.forEach(({ id, name }) => ids.set(name, id));
      if (found.length < limit.MANAGEMENT_ROLES_PAGE_SIZE) break;
    }
    cachedRoles = { ids, until: performance.now() + limit.MANAGEMENT_ROLES_CACHE_MS };
    return ids;
  }

  /** Runs `operation`, and removes ids and emails of users and clients from the messages of its errors. */
  async function hideIdsInErrors<T>(subject: string, operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof ManagementError)) throw error;
      const hidden = error.message
        .replaceAll(subject, '…')
        .replaceAll(UUID_PATTERN, '…')
        .replaceAll(EMAIL_PATTERN, '…');
      const { kind, retryAfterMs, cause } = error;
      throw new ManagementError(kind, hidden, { retryAfterMs, cause });
    }
  }

  function userPath(subject: string): string {
    // `/users/.` is the address of the list of users.
    if (['.', '..'].includes(subject)) throw new ManagementError('refused', 'the subject is no name of one user');
    return `/users/${encodeURIComponent(subject)}`;
  }

  return {
    read: (subject: string, time: RequestDeadline): Promise<ProviderRights> =>
      hideIdsInErrors(subject, async () => parseProviderRights(await ask('GET', userPath(subject), time))),
    send: (subject: string, { role, clientAccess, isActive }: UserRights, time: RequestDeadline): Promise<void> =>
      hideIdsInErrors(subject, async () => {
        const body = { app_metadata: { role, client_access: clientAccess }, blocked: !isActive };
        parseProviderRights((await ask('PATCH', userPath(subject), time, body)) ?? {});
        const id = (await readRoleIds(time)).get(role);
        if (id !== undefined) await ask('POST', `${userPath(subject)}/roles`, time, { roles: [id] });
      }),
    /** Deletes a user. If the provider refuses the deletion, blocks the user and throws; a retry follows. */
    erase: (subject: string, time: RequestDeadline): Promise<void> =>
      hideIdsInErrors(subject, async () => {
        try {
          await ask('DELETE', userPath(subject), time);
        } catch (error) {
          const body = { app_metadata: { role: null, client_access: [] }, blocked: true };
          if (isFailureKind(error, 'refused')) await ask('PATCH', userPath(subject), time, body);
          throw error;
        }
      }).catch((error: unknown) => {
        if (!isFailureKind(error, 'unknown')) throw error;
      }),
    remainingPauseMs: (): number => Math.max(0, pausedUntil - performance.now()),
  };
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
