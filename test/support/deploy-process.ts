import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const COMMAND = join(import.meta.dirname, '..', '..', 'src', 'admin', 'commands', 'db-migrate.ts');
const PRELOADED = join(import.meta.dirname, 'end-with-parent.ts');

export interface Deploy {
  readonly ended: Promise<{ readonly code: number | string; readonly out: string; readonly err: string }>;
  readonly kill: () => void;
  readonly signal: (name: NodeJS.Signals) => void;
}

/** Starts db:migrate with DATABASE_ADMIN_URL, or without any variable of this project if `adminUrl` is undefined. */
export function startDeploy(adminUrl: string | undefined, ...args: string[]): Deploy {
  const child = spawn(process.execPath, ['--import', PRELOADED, COMMAND, ...args], {
    env: { PATH: process.env['PATH'], ...(adminUrl === undefined ? {} : { DATABASE_ADMIN_URL: adminUrl }) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  return {
    ended: once(child, 'close').then(([code, signal]) => ({ code: (code ?? signal) as number | string, ...written })),
    kill: () => child.kill('SIGKILL'),
    signal: (name) => child.kill(name),
  };
}
