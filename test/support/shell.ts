import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './suites.ts';

/**
 * The lines that a block of a page prints in Bash, in the repository's folder; curl prints the status of each answer too.
 * @throws with its output, when a line of it fails
 */
export async function shell(code: string, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', code], {
    cwd: ROOT,
    env: { ...process.env, PATH: path, CURL_HOME: import.meta.dirname, ...env },
    maxBuffer: 2 ** 24,
  });
  return stdout.split('\n').filter((line) => line !== '');
}
