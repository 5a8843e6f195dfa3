import { execFile } from 'node:child_process';
import { join } from 'node:path';

const SRC = join(import.meta.dirname, '..', '..', 'src');

interface Ending {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a file of src as a process with PATH and the given environment variables. */
export function runCommand(file: string, args: readonly string[], variables = {}, cwd = SRC): Promise<Ending> {
  const env = { PATH: process.env['PATH'], ...variables };
  return new Promise((resolve) => {
    execFile(process.execPath, [join(SRC, file), ...args], { env, cwd }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

export const audit = (url: string, ...args: string[]): Promise<Ending> =>
  runCommand('admin/commands/db-audit.ts', args, { DATABASE_ADMIN_URL: url });
