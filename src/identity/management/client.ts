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
  const managementCredential = createManagementCredential(config);
  let pauseEndMs = -Infinity;
  let cachedRoles: { readonly ids: ReadonlyMap<string, string>; readonly until: number } | undefined;

  function pauseRequests(ms: number | undefined): void {
    if (ms !== undefined) pauseEndMs = Math.max(pauseEndMs, performance.now() + ms);
  }

  async function sendAuthorizedRequest(
    method: string,
    path: string,
    body: unknown,
    time: RequestDeadline,
  ): Promise<unknown> {
    const accessToken = await managementCredential.token();
    const { response, text } = await sendSingleRequest(method, path, body, accessToken, time);
    if (response.status === 401 && managementCredential.discard(accessToken)) {
      const renewedToken = await managementCredential.token();
      return readResponse(method, await sendSingleRequest(method, path, body, renewedToken, time));
    }
    return readResponse(method, { response, text });
  }

  async function sendSingleRequest(
    method: string,
    path: string,
    body: unknown,
    accessToken: string,
    time: RequestDeadline,
  ) {
    // A process that was suspended may hold outdated rights, so no request is sent after `time.deadline`.
    if (performance.now() > time.deadline) throw new ManagementError('away', 'there was no time left to ask');
    try {
      const response = await fetch(baseUrl + path, {
        method,
        redirect: 'error',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${accessToken}`,
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

  function readResponse(method: string, { response, text }: Awaited<ReturnType<typeof sendSingleRequest>>): unknown {
    const { status, headers } = response;
    if (response.ok) {
      if (headers.get('x-ratelimit-remaining') === '0') pauseRequests(readRetryAfterMs(headers));
      if (text.trim() === '') return undefined;
      const responseJson = parseJson(text);
      if (responseJson === undefined) throw createUnexpectedAnswerError('JSON');
      return responseJson;
    }
    const responseFailureKind = classifyFailure(method, status, text);
    const retryAfterMs =
      responseFailureKind === 'limited'
        ? (readRetryAfterMs(headers) ?? limit.MANAGEMENT_RATE_LIMITED_WAIT_MS)
        : readRetryAfterMs(headers);
    if (responseFailureKind === 'limited') pauseRequests(retryAfterMs);
    const providerFailureMessage = `the provider answered ${String(status)}${formatFailureMessage(text)}`;
    throw new ManagementError(
      responseFailureKind,
      responseFailureKind === 'address' ? `${providerFailureMessage}; ${WRONG_ADDRESS_HINT}` : providerFailureMessage,
      {
        retryAfterMs,
      },
    );
  }

  function sendRequestWithRetries(
    method: string,
    path: string,
    time: RequestDeadline,
    body?: unknown,
  ): Promise<unknown> {
    return retryWithBackoff(() => sendAuthorizedRequest(method, path, body, time), {
      ...{ pausesMs: [retryMs, 2 * retryMs], deadline: time.deadline, signal: time.signal },
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
      const rolesPath = `/roles?per_page=${String(limit.MANAGEMENT_ROLES_PAGE_SIZE)}&page=${String(page)}&include_totals=true`;
      const foundRoles = parseRoles(
        await sendRequestWithRetries('GET', rolesPath, time).catch(convertUnsupportedToNoRoles),
      );
      foundRoles.forEach(({ id, name }) => ids.set(name, id));
      if (foundRoles.length < limit.MANAGEMENT_ROLES_PAGE_SIZE) break;
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
      const messageWithoutIds = error.message
        .replaceAll(subject, '…')
        .replaceAll(UUID_PATTERN, '…')
        .replaceAll(EMAIL_PATTERN, '…');
      const { kind, retryAfterMs, cause } = error;
      throw new ManagementError(kind, messageWithoutIds, { retryAfterMs, cause });
    }
  }

  function createUserPath(subject: string): string {
    // `/users/.` is the address of the list of users.
    if (['.', '..'].includes(subject)) throw new ManagementError('refused', 'the subject is no name of one user');
    return `/users/${encodeURIComponent(subject)}`;
  }

  return {
    read: (subject: string, time: RequestDeadline): Promise<ProviderRights> =>
      hideIdsInErrors(subject, async () =>
        parseProviderRights(await sendRequestWithRetries('GET', createUserPath(subject), time)),
      ),
    send: (subject: string, { role, clientAccess, isActive }: UserRights, time: RequestDeadline): Promise<void> =>
      hideIdsInErrors(subject, async () => {
        const body = { app_metadata: { role, client_access: clientAccess }, blocked: !isActive };
        parseProviderRights((await sendRequestWithRetries('PATCH', createUserPath(subject), time, body)) ?? {});
        const id = (await readRoleIds(time)).get(role);
        if (id !== undefined)
          await sendRequestWithRetries('POST', `${createUserPath(subject)}/roles`, time, { roles: [id] });
      }),
    /** Deletes a user. If the provider refuses the deletion, blocks the user and throws; a retry follows. */
    erase: (subject: string, time: RequestDeadline): Promise<void> =>
      hideIdsInErrors(subject, async () => {
        try {
          await sendRequestWithRetries('DELETE', createUserPath(subject), time);
        } catch (error) {
          const body = { app_metadata: { role: null, client_access: [] }, blocked: true };
          if (isFailureKind(error, 'refused'))
            await sendRequestWithRetries('PATCH', createUserPath(subject), time, body);
          throw error;
        }
      }).catch((error: unknown) => {
        if (!isFailureKind(error, 'unknown')) throw error;
      }),
    remainingPauseMs: (): number => Math.max(0, pauseEndMs - performance.now()),
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

function isFailureKind(error: unknown, ...failureKinds: readonly FailureKind[]): boolean {
  return error instanceof ManagementError && failureKinds.includes(error.kind);
}

function convertUnsupportedToNoRoles(error: unknown): unknown {
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

const createUnexpectedAnswerError = (what: string): ManagementError =>
  new ManagementError('away', `the provider answered something that is no ${what}`);

const optionalTextSchema = z.string().min(1).optional().catch(undefined);
const failureSchema = z
  .object({ errorCode: optionalTextSchema, error: optionalTextSchema, message: optionalTextSchema })
  .catch({});

const readFailureDetails = (text: string) => failureSchema.parse(parseJson(text));

function formatFailureMessage(text: string): string {
  const { errorCode, error, message } = readFailureDetails(text);
  const messageParts = [errorCode ?? error, message].filter((said) => said !== undefined);
  return messageParts.length === 0
    ? ''
    : `: ${shortenToSingleLine(messageParts.join(', '), limit.MANAGEMENT_MESSAGE_CHARACTERS)}`;
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
  if (!success) throw createUnexpectedAnswerError('user');
  const { role, client_access: clientAccess } = data.app_metadata;
  return { role, clientAccess, isActive: data.blocked !== true };
}

const roleSchema = z.object({ id: z.string(), name: z.string() });
const roleListSchema = z.union([z.array(z.unknown()), z.object({ roles: z.array(z.unknown()) })]);

function parseRoles(body: unknown) {
  const { success, data } = roleListSchema.safeParse(body);
  if (!success) throw createUnexpectedAnswerError('list of roles');
  return (Array.isArray(data) ? data : data.roles).flatMap((one) => roleSchema.safeParse(one).data ?? []);
}

function fetchFailureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'it took too long';
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return shortenToSingleLine(error.message, limit.MANAGEMENT_MESSAGE_CHARACTERS);
}
