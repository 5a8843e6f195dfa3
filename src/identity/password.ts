import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { genSaltSync, getRounds } from 'bcryptjs';
import { boundOf } from '../bound.ts';
import { RequestError } from '../errors.ts';
import * as limit from '../limits.ts';

const WORKER = new URL(`./password-worker${extname(import.meta.filename)}`, import.meta.url);
const SALT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{22}$/;

/** What stands for the password of a user who has none here: no password has this hash. */
export const NO_PASSWORD = '!';

export interface HashJob {
  readonly password: string;
  readonly salt: string;
}

export interface HashResult {
  readonly hash: string;
}

/** Who waits for a hash, and for how long. */
export interface Wait {
  /** Aborted where nobody wants the hash any more: what has not begun is not worked out then. */
  readonly signal?: AbortSignal;
  readonly limitMs?: number;
}

interface Waiting {
  readonly job: HashJob;
  readonly settle: (outcome: string | RequestError) => void;
}

let thread: Worker | undefined;
const places = boundOf(limit.PASSWORDS_WAITING, () => unavailable('too many passwords wait to be hashed'));
/** In their order; of the one that the thread works at nobody may be waiting any more. */
const queue: Waiting[] = [];
let underWay: Waiting | undefined;

/** How many wait for a hash, with the one that is worked out. */
export function passwordsWaiting(): number {
  return places.taken;
}

/** The same characters typed on two keyboards are one password (RFC 8265, 4.2.2), whatever their Unicode form. */
export function normalPassword(password: string): string {
  return password.normalize('NFC');
}

/** Whether bcrypt looks at all of it: it stops behind 72 bytes, and U+0000 means an end to it. */
export function isHashable(password: string): boolean {
  return Buffer.byteLength(normalPassword(password)) <= limit.PASSWORD_BYTES && !password.includes('\0');
}

/** The salted bcrypt hash of a new password; see `hashWithSalt` for what it throws. */
export async function hashPassword(password: string, wait?: Wait): Promise<string> {
  return hashWithSalt(password, genSaltSync(limit.PASSWORD_COST), wait);
}

/**
 * The bcrypt hash of a password with a given salt (the first 29 characters of a hash), worked out beside the event
 * loop: one at a time, in order.
 * @throws RequestError ERROR_UNAVAILABLE where too many wait already, it takes too long, or there is no thread for it;
 * ERROR_REQUEST_TIMEOUT where its caller has gone
 * @throws RangeError for a password that is not hashable, and for a salt of another form or a higher cost than here
 */
export async function hashWithSalt(
  password: string,
  salt: string,
  { signal, limitMs = limit.PASSWORD_MS }: Wait = {},
): Promise<string> {
  if (!isHashable(password)) throw new RangeError('bcrypt would look at a part of the password alone');
  if (!SALT.test(salt) || getRounds(salt) > limit.PASSWORD_HIGHEST_COST)
    throw new RangeError('this is no salt of bcrypt, or one of too high a cost');
  const leavePlace = places.enter();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const waiting: Waiting = {
    job: { password: normalPassword(password), salt },
    settle: (outcome) => {
      if (typeof outcome === 'string') resolve(outcome);
      else reject(outcome);
    },
  };
  const leave = (error: RequestError): void => {
    const index = queue.indexOf(waiting);
    if (index >= 0) queue.splice(index, 1);
    leavePlace();
    reject(error);
  };
  const gone = (): void => {
    leave(new RequestError('ERROR_REQUEST_TIMEOUT', 'the caller has gone before a password was hashed'));
  };
  const late = setTimeout(() => {
    leave(unavailable(`a password was not hashed within ${limitMs} ms`));
  }, limitMs);
  signal?.addEventListener('abort', gone);
  queue.push(waiting);
  if (signal?.aborted === true) gone();
  next();
  try {
    return await promise;
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

/** Gives the thread the next password; without a thread, as where the process is out of descriptors, nobody waits for one. */
function next(): void {
  while (underWay === undefined) {
    const first = queue.shift();
    if (first === undefined) {
      thread?.unref();
      return;
    }
    try {
      thread ??= startThread();
      thread.ref();
      thread.postMessage(first.job);
      underWay = first;
    } catch (cause) {
      first.settle(unavailable('no thread could be started to hash a password', cause));
    }
  }
}

function ended(outcome: string | RequestError): void {
  underWay?.settle(outcome);
  underWay = undefined;
  next();
}

/** It keeps no process from ending once nobody waits; one that dies is replaced when the next password comes. */
function startThread(): Worker {
  const started = new Worker(WORKER, { name: 'passwords', env: {}, execArgv: [] });
  started.on('message', ({ hash }: HashResult) => {
    ended(hash);
  });
  const fail = (cause: unknown): void => {
    if (thread !== started) return;
    thread = undefined;
    ended(unavailable('the thread that hashes passwords ended', cause));
  };
  started.on('error', fail);
  started.on('exit', fail);
  return started;
}
