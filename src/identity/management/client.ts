import type { ManagementConfig } from '../../config.ts';
import { boundedText } from '../bounded-text.ts';
import { retrying } from '../../retries.ts';
import { credentialOf } from './credential.ts';
import { ManagementError } from './errors.ts';
import type { Trouble } from './errors.ts';
import { waitSaid, waitWhenSpent } from './limits.ts';
import * as limit from '../../limits.ts';

/** What a user may do, as the provider is to know it. */
export interface Rights {
  readonly role: string;
  readonly clientAccess: readonly string[];
  readonly isActive: boolean;
}

/** What the provider knows of a user's rights; undefined where it says none, or nothing that could be one. */
export interface KnownRights {
  readonly role: string | undefined;
  readonly clientAccess: readonly string[] | undefined;
  readonly isActive: boolean;
}

export interface Time {
  readonly until: number;
  readonly signal: AbortSignal;
}

/** The provider's management interface. All throw ManagementError. */
export interface Management {
  read(subject: string, time: Time): Promise<KnownRights>;
  /** Tells it the rights of a user; the same twice is the same once. */
  send(subject: string, rights: Rights, time: Time): Promise<void>;
  /** For how long it wants to be left alone, whomever it would be about. */
  pausedMs(): number;
}

export interface ManagementOptions {
  readonly answerMs?: number;
  /** The first wait before an exchange that found the provider away is tried again, at once. */
  readonly retryMs?: number;
}

const WRONG_ADDRESS = 'is AUTH_MANAGEMENT_URL right?';
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

export function openManagement(
  config: ManagementConfig,
  { answerMs = limit.PROVIDER_ANSWER_MS, retryMs = limit.MANAGEMENT_RETRY_MS }: ManagementOptions = {},
): Management {
  const base = config.url.replace(/\/+$/, '');
  const credential = credentialOf(config);
  let pausedUntil = -Infinity;
  let roles: { readonly ids: ReadonlyMap<string, string>; readonly until: number } | undefined;

  function pause(ms: number | undefined): void {
    if (ms !== undefined) pausedUntil = Math.max(pausedUntil, performance.now() + ms);
  }

  async function exchange(method: string, path: string, body: unknown, time: Time): Promise<unknown> {
    const token = await credential.token();
    const { response, text } = await answer(method, path, body, token, time);
    if (response.status === 401 && credential.renew(token)) {
      const renewed = await credential.token();
      return judged(await answer(method, path, body, renewed, time));
    }
    return judged({ response, text });
  }

  async function answer(
    method: string,
    path: string,
    body: unknown,
    token: string,
    time: Time,
  ): Promise<Answer> {
    // A process that was stopped and goes on must not send what others have overtaken meanwhile.
    if (performance.now() > time.until) throw new ManagementError('away', 'there was no time left to ask');
    try {
      const response = await fetch(base + path, {
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
      return { response, text: await boundedText(response, limit.MANAGEMENT_BYTES, 'the answer') };
    } catch (cause) {
      throw new ManagementError('away', `the provider gave no answer: ${reasonOf(cause)}`, { cause });
    }
  }

  function judged({ response, text }: Answer): unknown {
    const { status, headers } = response;
    if (response.ok) {
      pause(waitWhenSpent(headers));
      return parsed(text);
    }
    const trouble = troubleOf(status, text);
    const retryAfterMs =
      trouble === 'limited' ? (waitSaid(headers) ?? limit.MANAGEMENT_LIMITED_MS) : waitSaid(headers);
    if (trouble === 'limited') pause(retryAfterMs);
    const answered = `the provider answered ${String(status)}${told(text)}`;
    throw new ManagementError(trouble, trouble === 'address' ? `${answered}; ${WRONG_ADDRESS}` : answered, {
      retryAfterMs,
    });
  }

  /** What finds the provider away is tried again at once, in what is left of its time. */
  function request(method: string, path: string, time: Time, body?: unknown): Promise<unknown> {
    return retrying(() => exchange(method, path, body, time), {
      ...{ pausesMs: [retryMs, 2 * retryMs], until: time.until, signal: time.signal },
      isWorthIt: (error, attempt) =>
        attempt <= limit.MANAGEMENT_RETRIES &&
        error instanceof ManagementError &&
        error.trouble === 'away' &&
        error.retryAfterMs === undefined,
    }).catch((cause: unknown) => {
      if (cause instanceof ManagementError) throw cause;
      throw new ManagementError('away', 'the time to ask was over', { cause });
    });
  }

  /** Ids by name; a provider that knows no roles has none. */
  async function roleIds(time: Time): Promise<ReadonlyMap<string, string>> {
    if (roles !== undefined && performance.now() < roles.until) return roles.ids;
    const ids = new Map<string, string>();
    for (let page = 0; page < limit.MANAGEMENT_ROLES_PAGES; page += 1) {
      const path = `/roles?per_page=${String(limit.MANAGEMENT_ROLES_PAGE)}&page=${String(page)}&include_totals=true`;
      const found = rolesIn(await request('GET', path, time).catch(noneWhereUnknown));
      found.forEach(({ id, name }) => ids.set(name, id));
      if (found.length < limit.MANAGEMENT_ROLES_PAGE) break;
    }
    roles = { ids, until: performance.now() + limit.MANAGEMENT_ROLES_MS };
    return ids;
  }

  /** Whatever the provider says of a user must name neither the user nor a client. */
  async function about<T>(subject: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ManagementError)) throw error;
      const message = error.message.replaceAll(subject, '…').replaceAll(UUID, '…');
      const { trouble, retryAfterMs, cause } = error;
      throw new ManagementError(trouble, message, { retryAfterMs, cause });
    }
  }

  const pathOf = (subject: string): string => `/users/${encodeURIComponent(subject)}`;

  return {
    read: (subject, time) =>
      about(subject, async () => rightsIn(await request('GET', pathOf(subject), time))),
    send: (subject, { role, clientAccess, isActive }, time) =>
      about(subject, async () => {
        const body = { app_metadata: { role, client_access: clientAccess }, blocked: !isActive };
        rightsIn(await request('PATCH', pathOf(subject), time, body));
        const id = (await roleIds(time)).get(role);
        if (id !== undefined) await request('POST', `${pathOf(subject)}/roles`, time, { roles: [id] });
      }),
    pausedMs: () => Math.max(0, pausedUntil - performance.now()),
  };
}

interface Answer {
  readonly response: Response;
  readonly text: string;
}

function troubleOf(status: number, text: string): Trouble {
  if (status === 401 || status === 403) return 'credential';
  if (status === 404) return isAboutWhatIsAsked(text) ? 'unknown' : 'address';
  if (status === 405) return 'address';
  if (status === 429) return 'limited';
  return status >= 400 && status < 500 && status !== 408 ? 'refused' : 'away';
}

/** `inexistent_user`, `inexistent_role`; of a path that it does not have the provider says no such code. */
function isAboutWhatIsAsked(text: string): boolean {
  const { errorCode } = membersOf(quietly(text));
  return typeof errorCode === 'string' && errorCode.startsWith('inexistent_');
}

function noneWhereUnknown(error: unknown): unknown {
  if (error instanceof ManagementError && ['unknown', 'address'].includes(error.trouble)) return [];
  throw error;
}

function parsed(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ManagementError('away', 'the provider answered something that is no JSON', { cause });
  }
}

/** `{ statusCode, error, message, errorCode }`, of which the last two tell most. */
function told(text: string): string {
  const said = membersOf(quietly(text));
  const words = [said['errorCode'] ?? said['error'], said['message']].filter(
    (word): word is string => typeof word === 'string' && word !== '',
  );
  return words.length === 0
    ? ''
    : `: ${words.join(', ').replaceAll(/\s+/g, ' ').slice(0, limit.MANAGEMENT_MESSAGE_CHARACTERS)}`;
}

function quietly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function rightsIn(body: unknown): KnownRights {
  const { user_id: id, app_metadata: metadata, blocked } = membersOf(body);
  if (typeof id !== 'string') {
    throw new ManagementError('away', 'the provider answered something that is no user');
  }
  const { role, client_access: clients } = membersOf(metadata);
  return {
    role: typeof role === 'string' ? role : undefined,
    clientAccess:
      Array.isArray(clients) && clients.every((id) => typeof id === 'string') ? clients : undefined,
    isActive: blocked !== true,
  };
}

/** A plain array, or one with its totals. */
function rolesIn(body: unknown): { id: string; name: string }[] {
  const all: unknown = Array.isArray(body) ? body : membersOf(body)['roles'];
  if (!Array.isArray(all))
    throw new ManagementError('away', 'the provider answered something that is no list of roles');
  return all.flatMap((one: unknown) => {
    const { id, name } = membersOf(one);
    return typeof id === 'string' && typeof name === 'string' ? [{ id, name }] : [];
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'it took too long';
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error.message.slice(0, limit.MANAGEMENT_MESSAGE_CHARACTERS);
}
