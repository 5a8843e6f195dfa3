import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { genSaltSync, getRounds } from 'bcryptjs';
import { RequestError } from '../errors.ts';
import * as limit from '../limits.ts';
import { Shares } from '../shares.ts';

const PASSWORD_WORKER_URL = new URL(`./password-worker${extname(import.meta.filename)}`, import.meta.url);
const BCRYPT_SALT_PATTERN = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{22}$/;

/** Stored instead of a hash for a user without a password; no password has this hash. */
export const NO_PASSWORD_HASH = '!';

export interface HashJob {
  readonly password: string;
  readonly salt: string;
}

interface HashOptions {
  readonly signal?: AbortSignal;
  readonly limitMs?: number;
}

let hashThread: Worker | undefined;
let lastHash: Promise<unknown> = Promise.resolve();
const passwordQueue = new Shares({
  total: {
    max: limit.MAX_WAITING_PASSWORD_HASHES,
    refusedError: () => unavailable('too many passwords wait to be hashed'),
  },
});

export function countWaitingPasswords(): number {
  return passwordQueue.running;
}

/** Keyboards type the same characters in different Unicode forms, so passwords are normalized (RFC 8265, 4.2.2). */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}

/** True if bcrypt would hash the whole password; bcrypt ignores bytes after the 72nd and after U+0000. */
export function isHashable(password: string): boolean {
  return Buffer.byteLength(normalizePassword(password)) <= limit.MAX_PASSWORD_BYTES && !password.includes('\0');
}

export async function hashPassword(password: string, options?: HashOptions): Promise<string> {
  return hashPasswordWithSalt(password, genSaltSync(limit.PASSWORD_BCRYPT_COST), options);
}

/** Hashes one password at a time, in a worker thread. @throws RequestError; RangeError */
export async function hashPasswordWithSalt(
  password: string,
  salt: string,
  { signal, limitMs = limit.PASSWORD_HASH_TIMEOUT_MS }: HashOptions = {},
): Promise<string> {
  if (!isHashable(password)) throw new RangeError('bcrypt would look at a part of the password alone');
  if (!BCRYPT_SALT_PATTERN.test(salt) || getRounds(salt) > limit.MAX_STORED_BCRYPT_COST)
    throw new RangeError('this is no salt of bcrypt, or one of too high a cost');
  const leave = passwordQueue.enter();
  const { promise: abandonment, reject } = Promise.withResolvers<never>();
  let isWanted = true;
  const stopWaiting = (error: RequestError): void => {
    isWanted = false;
    leave();
    reject(error);
  };
  const onHangUp = (): void => {
    stopWaiting(new RequestError('ERROR_REQUEST_TIMEOUT', 'the caller has gone before a password was hashed'));
  };
  const timer = setTimeout(() => {
    stopWaiting(unavailable(`a password was not hashed within ${limitMs} ms`));
  }, limitMs);
  signal?.addEventListener('abort', onHangUp);
  if (signal?.aborted === true) onHangUp();
  const job = { password: normalizePassword(password), salt };
  const hashing = lastHash.then(() => (isWanted ? hashInThread(job) : ''));
  lastHash = hashing.catch(() => undefined);
  try {
    return await Promise.race([abandonment, hashing]);
  } finally {
    leave();
    clearTimeout(timer);
    signal?.removeEventListener('abort', onHangUp);
  }
}

function unavailable(reason: string, cause?: unknown): RequestError {
  return new RequestError('ERROR_UNAVAILABLE', reason, { kind: 'passwords', headers: { 'Retry-After': '5' }, cause });
}

/**
 * Sends the password to the hash thread and waits for the hash. After a failure of the hash thread the next password
 * starts a new thread. An idle thread does not keep the process alive.
 */
async function hashInThread(job: HashJob): Promise<string> {
  const listening = new AbortController();
  try {
    hashThread ??= startHashThread();
    hashThread.ref();
    const answering = Promise.race([once(hashThread, 'message', listening), once(hashThread, 'exit', listening)]);
    hashThread.postMessage(job);
    const [answer] = (await answering) as [string | number];
    if (typeof answer === 'number') throw new Error('it ended');
    hashThread.unref();
    return answer;
  } catch (cause) {
    hashThread = undefined;
    throw unavailable('the thread that hashes passwords ended', cause);
  } finally {
    listening.abort();
  }
}

function startHashThread(): Worker {
  const thread = new Worker(PASSWORD_WORKER_URL, { name: 'passwords', env: {}, execArgv: [] });
  thread.on('error', () => undefined);
  thread.on('exit', () => {
    if (hashThread === thread) hashThread = undefined;
  });
  return thread;
}
