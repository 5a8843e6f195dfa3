import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { genSaltSync, getRounds } from 'bcryptjs';
import { createSemaphore } from '../bound.ts';
import { RequestError } from '../errors.ts';
import * as limit from '../limits.ts';

const WORKER = new URL(`./password-worker${extname(import.meta.filename)}`, import.meta.url);
const SALT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{22}$/;

/** The stored hash of a user without a password: no password has it. */
export const NO_PASSWORD = '!';

export interface HashJob {
  readonly password: string;
  readonly salt: string;
}

interface Wait {
  readonly signal?: AbortSignal;
  readonly limitMs?: number;
}

let thread: Worker | undefined;
let last: Promise<unknown> = Promise.resolve();
const places = createSemaphore(limit.PASSWORDS_WAITING, () =>
  unavailable('too many passwords wait to be hashed'),
);

export function passwordsWaiting(): number {
  return places.inUse;
}

/** Keyboards may type the same characters in different Unicode forms (RFC 8265, 4.2.2). */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}

/** bcrypt ignores bytes after the 72nd and after U+0000. */
export function isHashable(password: string): boolean {
  return Buffer.byteLength(normalizePassword(password)) <= limit.PASSWORD_BYTES && !password.includes('\0');
}

export async function hashPassword(password: string, wait?: Wait): Promise<string> {
  return hashWithSalt(password, genSaltSync(limit.PASSWORD_COST), wait);
}

/** Hashes one password at a time, in a thread. @throws RequestError; RangeError */
export async function hashWithSalt(
  password: string,
  salt: string,
  { signal, limitMs = limit.PASSWORD_MS }: Wait = {},
): Promise<string> {
  if (!isHashable(password)) throw new RangeError('bcrypt would look at a part of the password alone');
  if (!SALT.test(salt) || getRounds(salt) > limit.PASSWORD_HIGHEST_COST)
    throw new RangeError('this is no salt of bcrypt, or one of too high a cost');
  const leavePlace = places.enter();
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  let isWanted = true;
  const giveUp = (error: RequestError): void => {
    isWanted = false;
    leavePlace();
    reject(error);
  };
  const gone = (): void => {
    giveUp(new RequestError('ERROR_REQUEST_TIMEOUT', 'the caller has gone before a password was hashed'));
  };
  const late = setTimeout(() => {
    giveUp(unavailable(`a password was not hashed within ${limitMs} ms`));
  }, limitMs);
  signal?.addEventListener('abort', gone);
  if (signal?.aborted === true) gone();
  const job = { password: normalizePassword(password), salt };
  const hash = last.then(() => (isWanted ? hashed(job) : ''));
  last = hash.catch(() => undefined);
  try {
    return await Promise.race([givenUp, hash]);
  } finally {
    leavePlace();
    clearTimeout(late);
    signal?.removeEventListener('abort', gone);
  }
}

function unavailable(reason: string, cause?: unknown): RequestError {
  return new RequestError('ERROR_UNAVAILABLE', reason, {
    kind: 'passwords',
    headers: { 'Retry-After': '5' },
    cause,
  });
}

/** Hashes in the thread; the next password starts a new thread after a failure. An idle thread does not keep the process. */
async function hashed(job: HashJob): Promise<string> {
  const over = new AbortController();
  try {
    thread ??= startThread();
    thread.ref();
    const outcome = Promise.race([once(thread, 'message', over), once(thread, 'exit', over)]);
    thread.postMessage(job);
    const [answer] = (await outcome) as [string | number];
    if (typeof answer === 'number') throw new Error('it ended');
    thread.unref();
    return answer;
  } catch (cause) {
    thread = undefined;
    throw unavailable('the thread that hashes passwords ended', cause);
  } finally {
    over.abort();
  }
}

function startThread(): Worker {
  const started = new Worker(WORKER, { name: 'passwords', env: {}, execArgv: [] });
  started.on('error', () => undefined);
  started.on('exit', () => {
    if (thread === started) thread = undefined;
  });
  return started;
}
