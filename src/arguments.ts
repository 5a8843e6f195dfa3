import { readFileSync } from 'node:fs';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigError } from './config/parse.ts';

export type Options = NonNullable<ParseArgsConfig['options']>;

/** The options of a command; every one takes --help and --version as well. */
export interface Command<O extends Options> {
  readonly usage: string;
  readonly options?: O;
  readonly allowPositionals?: boolean;
}

export type Arguments<O extends Options> = Pick<
  ReturnType<typeof parseArgs<{ options: O; allowPositionals: true; strict: true }>>,
  'values' | 'positionals'
>;

/** The given arguments, or the text to print instead. @throws ConfigError in one line that names what is unknown */
export function readArguments<const O extends Options>(
  args: readonly string[],
  { usage, options, allowPositionals = false }: Command<O>,
): Arguments<O> | string {
  const always = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const;
  try {
    const parsed = parseArgs({ args: [...args], options: { ...options, ...always }, allowPositionals });
    const { help, version } = parsed.values;
    if (help) return `${usage}\n`;
    if (version) return `taxclaims ${versionOf('../package.json')}\n`;
    return parsed as Arguments<O>;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The rest is advice for an argument that begins with a dash.
    throw new ConfigError(`${error.message.replace(/\. .*$/s, '')}; see --help`, { cause: error });
  }
}

function versionOf(file: string): string {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
