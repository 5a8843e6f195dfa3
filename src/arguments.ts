import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { ConfigError } from './config/parse.ts';

export type Options = NonNullable<ParseArgsConfig['options']>;

/** What a command takes; every one takes --help and --version beside. */
export interface Command<O extends Options> {
  /** What --help prints. */
  readonly usage: string;
  readonly options?: O;
  readonly allowPositionals?: boolean;
}

/** What was given. */
export type Arguments<O extends Options> = Pick<
  ReturnType<typeof parseArgs<{ options: O; allowPositionals: true; strict: true }>>,
  'values' | 'positionals'
>;

/**
 * Reads the arguments of a command, before it does anything.
 * @returns what was given, or the text to print in its place
 * @throws ConfigError in one line that names what the command does not know
 */
export function readArguments<const O extends Options>(
  args: readonly string[],
  { usage, options, allowPositionals = false }: Command<O>,
): Arguments<O> | string {
  const always = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const;
  try {
    const parsed = parseArgs({ args: [...args], options: { ...options, ...always }, allowPositionals });
    const { help, version } = parsed.values;
    if (help) return `${usage}\n`;
    if (version) return `taxclaims ${versionOf(new URL('../package.json', import.meta.url))}\n`;
    return parsed as Arguments<O>;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // What follows the first sentence is advice for an argument that begins with a dash.
    throw new ConfigError(`${error.message.replace(/\. .*$/s, '')}; see --help`, { cause: error });
  }
}

function versionOf(file: URL): string {
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}
