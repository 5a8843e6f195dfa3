import { execFile } from 'node:child_process';
import { basename } from 'node:path';

/** The whole environment of what is run here: nothing of the caller's, so no PG* variable steers it. */
export const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Runs a program to its end.
 * @throws Error with what it wrote when it cannot be run or fails.
 */
export async function run(command: readonly string[]): Promise<void> {
  const [program = '', ...args] = command;
  await new Promise<void>((resolve, reject) => {
    execFile(program, args, { env: ENVIRONMENT, cwd: '/' }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else
        reject(new Error(`${basename(program)} failed: ${stderr.trim() || stdout.trim() || error.message}`));
    });
  });
}
