import { readArguments } from '../arguments.ts';
import type { Arguments, Command, Options } from '../arguments.ts';
import { ConfigError } from '../config.ts';
import { PROGRESS_MS } from '../limits.ts';
import { DeployHeldUp, reasonOf } from '../db/deploy/migration-error.ts';

/**
 * Runs a command with what it was given, and ends in one line where it fails. Exit codes: what `main` says, or 0; 2 a wrong
 * argument or variable, nothing was tried; 3 others were in the way for too long; `failed` for anything else.
 */
export async function runCommand<const O extends Options>(
  command: Command<O> & { readonly failed: 1 | 2 },
  main: (given: Arguments<O>) => Promise<number | undefined>,
): Promise<void> {
  try {
    process.exitCode = (await main(argumentsOf(command))) ?? 0;
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    if (error instanceof ConfigError) process.exitCode = 2;
    else process.exitCode = error instanceof DeployHeldUp ? 3 : command.failed;
  }
}

/** What this process was given. One that asks for --help or --version ends here, and so does one with an unknown argument. */
export function argumentsOf<const O extends Options>(command: Command<O>): Arguments<O> {
  try {
    const given = readArguments(process.argv.slice(2), command);
    if (typeof given !== 'string') return given;
    process.stdout.write(given);
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    return process.exit(2);
  }
}

/** One line now and then, for whoever waits. */
export function progress<Of>(words: (of: Of) => string): (of: Of) => void {
  let last = performance.now();
  return (of) => {
    if (performance.now() - last < PROGRESS_MS) return;
    last = performance.now();
    process.stderr.write(`${words(of)}\n`);
  };
}
