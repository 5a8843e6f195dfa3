import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../../src/admin/commands/db-audit.ts', import.meta.url));

export interface Ending {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export function audit(url: string, ...args: string[]): Promise<Ending> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], DATABASE_ADMIN_URL: url };
    execFile(process.execPath, [COMMAND, ...args], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}
