import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Runs `npm run db:migrate` of the release in the folder `root` on a database. If `killAfterMs` is given, the command
 * is killed after this time. Returns the command’s exit code, or the signal that ended it.
 * @throws Error with the command’s output if its exit code is not 0
 */
export async function migrateWithCommand(
  adminUrl: string,
  killAfterMs?: number,
  root: string = ROOT,
): Promise<number | string> {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [, path = ''] = (scripts['db:migrate'] ?? '').split(' ');
  const child = spawn(process.execPath, [join(root, path)], {
    env: { PATH: process.env['PATH'], DATABASE_ADMIN_URL: adminUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (written += text));
  }
  const killing = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(killing);
  if (code !== null && code !== 0) throw new Error(`db:migrate ended with ${code}: ${written}`);
  return code ?? String(signal);
}
