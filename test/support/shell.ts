import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './suites.ts';

/**
 * Runs the code of a Markdown page in Bash, and returns the output of the code. The code runs in the repository’s
 * folder, or in / for another account. curl prints each response and its status on two lines.
 * @throws Error with the output if a line of the code fails
 */
export async function shell(
  code: string,
  env: Readonly<Record<string, string>> = {},
  account?: { readonly uid: number; readonly gid: number },
): Promise<string> {
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  const options = {
    ...account,
    cwd: account === undefined ? ROOT : '/',
    env: { ...process.env, PATH: path, CURL_HOME: import.meta.dirname, ...env },
    maxBuffer: 2 ** 24,
  };
  try {
    return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', code], options)).stdout;
  } catch (error) {
    const { message, stdout } = error as Error & { stdout: string };
    throw new Error(`${message}${stdout}`, { cause: error });
  }
}
