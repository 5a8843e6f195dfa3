import { parentPort } from 'node:worker_threads';
import { hashSync } from 'bcryptjs';
import type { HashJob, HashResult } from './password.ts';

parentPort?.on('message', ({ password, salt }: HashJob) => {
  const result: HashResult = { hash: hashSync(password, salt) };
  parentPort?.postMessage(result);
});
