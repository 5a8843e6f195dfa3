import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 'embedded-postmaster-killed',
  what: 'kill -9 of the postmaster of the embedded Postgres',
  must: 'the service starts it again by itself',
  world: { embedded: true },
  holdMs: 5_000,
  async begin({ folder }) {
    const file = join(folder, 'data', 'postgres', 'data', 'postmaster.pid');
    process.kill(Number((await readFile(file, 'utf8')).split('\n')[0]), 'SIGKILL');
    return () => Promise.resolve();
  },
};
