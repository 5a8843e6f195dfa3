import { parentPort } from 'node:worker_threads';
import { hashSync } from 'bcryptjs';
import type { HashJob } from './password.ts';

parentPort?.on('message', ({ password, salt }: HashJob) => {
  parentPort?.postMessage(hashSync(password, salt));
});
