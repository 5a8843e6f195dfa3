import { type CommandArguments, type Command, type CommandOptions, readArguments } from '../../arguments.ts';
import { ConfigError } from '../../config.ts';
import { readEnvFile } from '../../config/env-file.ts';
import { COMMAND_PROGRESS_PAUSE_MS } from '../../limits.ts';
import { oneLineReason } from '../../single-line.ts';
import { DeployHeldUp } from '../deploy/migration-error.ts';

export async function runCommand<const O extends CommandOptions>(
  command: Command<O> & { readonly failureExitCode: 1 | 2 },
  main: (given: CommandArguments<O>) => Promise<unknown>,
): Promise<void> {
  try {
    const given = parseProcessArguments(command);
    readEnvFile();
    const exitCode = await main(given);
    process.exitCode = typeof exitCode === 'number' ? exitCode : 0;
  } catch (error) {
    process.stderr.write(`${oneLineReason(error)}\n`);
    if (error instanceof ConfigError) process.exitCode = 2;
    else process.exitCode = error instanceof DeployHeldUp ? 3 : command.failureExitCode;
  }
}

export function parseProcessArguments<const O extends CommandOptions>(
  command: Command<O>,
  args: readonly string[] = process.argv.slice(2),
): CommandArguments<O> {
  try {
    const parsed = readArguments(args, command);
    if (typeof parsed !== 'string') return parsed;
    process.stdout.write(parsed);
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${oneLineReason(error)}\n`);
    return process.exit(2);
  }
}

export function parseWholeNumber(option: string, text: string, unit: string, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw new ConfigError(`--${option} must be a number of ${unit} from 1 to ${most}`);
}

export function createProgressReporter<Of = void>(text: (of: Of) => string): (of: Of) => void {
  let lastMs = performance.now();
  return (of) => {
    if (performance.now() - lastMs < COMMAND_PROGRESS_PAUSE_MS) return;
    lastMs = performance.now();
    process.stderr.write(`${text(of)}\n`);
  };
}
