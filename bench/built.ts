import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogin, dropLogin } from './database.ts';
import { output } from './peers/commands.ts';

const ROOT = join(import.meta.dirname, '..');
/** The flags with which the Dockerfile starts Node. */
const FLAGS = ['--max-semi-space-size=16'];

/** The compiled service as a firm deploys it, on a Postgres server that already runs. */
interface Built {
  readonly origin: string;
  readonly pid: number;
  stop(): Promise<void>;
}

let built: Promise<string> | undefined;

export async function build(): Promise<void> {
  await (built ??= output('npm', ['run', '--silent', 'build'], ROOT));
}

export async function startBuilt(
  adminUrl: string,
  login: string,
  environment: Readonly<Record<string, string>>,
): Promise<Built> {
  const url = await createLogin(adminUrl, login, 'in role taxclaims_api');
  const folder = await mkdtemp(join(tmpdir(), 'taxclaims-built-'));
  const child = spawn(process.execPath, [...FLAGS, join('dist', 'main.js')], {
    cwd: ROOT,
    env: {
      ...{ PATH: process.env['PATH'], NODE_ENV: 'production', PORT: '0', LOG_LEVEL: 'error' },
      ...{ DATABASE_URL: url, DATA_DIR: folder, ...environment },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    await dropLogin(adminUrl, login);
    await rm(folder, { recursive: true, force: true });
  };
  const listening = Promise.withResolvers<string>();
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-10_000);
    const origin = /"api":"([^"]+)"/.exec(said)?.[1];
    if (origin !== undefined) listening.resolve(origin);
  });
  child.once('exit', () => {
    listening.reject(new Error(`the service ended: ${said}`));
  });
  try {
    return { origin: await listening.promise, pid: child.pid ?? 0, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
