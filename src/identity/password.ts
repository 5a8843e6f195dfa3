import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { genSaltSync, getRounds } from 'bcryptjs';
import { RequestError } from '../errors.ts';

/** Two to the power of it are the rounds of a new hash: a quarter of a second or so of one processor. */
const COST = 12;
/** The dearest hash that is worked out: each step more takes twice as long. */
const HIGHEST_COST = 14;
/** How many wait for the one thread at most: some seconds of work. */
const MOST_WAITING = 16;
const WORKER = new URL(`./password-worker${extname(import.meta.filename)}`, import.meta.url);
const SALT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{22}$/;

/** What stands for the password of a user who has none here: no password has this hash. */
export const NO_PASSWORD = '!';

/** Bytes of a password that bcrypt looks at; whatever comes behind them would not count. */
export const LONGEST_PASSWORD = 72;

export interface HashJob {
  readonly id: number;
  readonly password: string;
  readonly salt: string;
}

export interface HashResult {
  readonly id: number;
  readonly hash: string;
}

let thread: Worker | undefined;
let jobs = 0;
const waiting = new Map<number, PromiseWithResolvers<string>>();

/** The same characters typed on two keyboards are one password (RFC 8265, 4.2.2), whatever their Unicode form. */
export function normalPassword(password: string): string {
  return password.normalize('NFC');
}

/** Whether bcrypt looks at all of it: it stops behind 72 bytes, and U+0000 means an end to it. */
export function isHashable(password: string): boolean {
  return Buffer.byteLength(normalPassword(password)) <= LONGEST_PASSWORD && !password.includes('\0');
}

/** The salted bcrypt hash of a new password; see `hashWithSalt` for what it throws. */
export async function hashPassword(password: string): Promise<string> {
  return hashWithSalt(password, genSaltSync(COST));
}

/**
 * The bcrypt hash of a password with a given salt (the first 29 characters of a hash), worked out beside the event
 * loop: one at a time, in order.
 * @throws RequestError ERROR_UNAVAILABLE where too many wait already
 * @throws RangeError for a password that is not hashable, and for a salt of another form or a higher cost than here
 */
export async function hashWithSalt(password: string, salt: string): Promise<string> {
  if (!isHashable(password)) throw new RangeError('bcrypt would look at a part of the password alone');
  if (!SALT.test(salt) || getRounds(salt) > HIGHEST_COST)
    throw new RangeError('this is no salt of bcrypt, or one of too high a cost');
  if (waiting.size >= MOST_WAITING)
    throw new RequestError('ERROR_UNAVAILABLE', 'too many passwords wait to be hashed', {
      headers: { 'Retry-After': '5' },
    });
  thread ??= startThread();
  thread.ref();
  const job: HashJob = { id: ++jobs, password: normalPassword(password), salt };
  const result = Promise.withResolvers<string>();
  waiting.set(job.id, result);
  thread.postMessage(job);
  return result.promise;
}

/** It keeps no process from ending once nobody waits; one that dies is replaced when the next password comes. */
function startThread(): Worker {
  const started = new Worker(WORKER, { name: 'passwords', env: {}, execArgv: [] });
  started.on('message', ({ id, hash }: HashResult) => {
    waiting.get(id)?.resolve(hash);
    waiting.delete(id);
    if (waiting.size === 0) started.unref();
  });
  const fail = (cause: unknown): void => {
    if (thread === started) thread = undefined;
    else return;
    for (const { reject } of waiting.values())
      reject(new Error('the thread that hashes passwords ended', { cause }));
    waiting.clear();
  };
  started.on('error', fail);
  started.on('exit', fail);
  return started;
}
