import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const MAX_OUTPUT = 64 * 2 ** 20;

/**
 * Runs a command and returns its output. If the command fails, the thrown error has the text that the command wrote to
 * its standard error.
 */
export async function output(
  command: string,
  args: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  const env = { ...process.env, ...environment };
  const { stdout } = await run(command, [...args], { cwd, env, maxBuffer: MAX_OUTPUT });
  return stdout;
}

/** Installs the npm packages that the package-lock.json of a compared service lists, unless they are installed. */
export async function install(folder: string): Promise<void> {
  const wanted = await stat(join(folder, 'package-lock.json'));
  const present = await stat(join(folder, 'node_modules', '.package-lock.json')).catch(() => undefined);
  if (present !== undefined && present.mtimeMs >= wanted.mtimeMs) return;
  console.error(`installing the packages of ${folder}`);
  await output('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
}
