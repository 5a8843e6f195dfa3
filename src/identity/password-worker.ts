import { parentPort } from 'node:worker_threads';
import { hashSync } from 'bcryptjs';
import type { HashJob, HashResult } from './password.ts';

/* The thread in which passwords are hashed, one after the other; src/identity/password.ts starts it. */

parentPort?.on('message', ({ password, salt }: HashJob) => {
  const result: HashResult = { hash: hashSync(password, salt) };
  parentPort?.postMessage(result);
});
