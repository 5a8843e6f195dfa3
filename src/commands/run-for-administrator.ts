import { ConfigError } from '../config.ts';
import { DeployHeldUp, reasonOf } from '../db/deploy/migration-error.ts';

/**
 * Runs a command of the database's administrator with what it was given, and ends in one line where it fails. Exit codes:
 * 0 done; 1 refused or failed; 2 a wrong argument or variable, nothing was tried; 3 others were in the way for too long.
 */
export async function runForAdministrator(main: (args: string[]) => Promise<void>): Promise<void> {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof DeployHeldUp) return 3;
  return error instanceof ConfigError || error instanceof TypeError ? 2 : 1;
}
