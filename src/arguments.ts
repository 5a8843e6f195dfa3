import { parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigError } from './config/parse.ts';
import { VERSION } from './version.ts';

export type CommandOptions = NonNullable<ParseArgsConfig['options']>;

export interface Command<O extends CommandOptions> {
  readonly usage: string;
  readonly options?: O;
  readonly allowPositionals?: boolean;
}

export type CommandArguments<O extends CommandOptions> = Pick<
  ReturnType<typeof parseArgs<{ options: O; allowPositionals: true; strict: true }>>,
  'values' | 'positionals'
>;

/**
 * Parses the arguments of a command, or returns the text that --help or --version prints. @throws ConfigError for an
 * unknown argument
 */
export function readArguments<const O extends CommandOptions>(
  args: readonly string[],
  { usage, options, allowPositionals = false }: Command<O>,
): CommandArguments<O> | string {
  const common = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const;
  try {
    const parsed = parseArgs({ args: [...args], options: { ...options, ...common }, allowPositionals });
    const { help, version } = parsed.values;
    if (help) return `${usage}\n`;
    if (version) return `taxclaims ${VERSION}\n`;
    return parsed as CommandArguments<O>;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Cuts off the end of Node's error message: advice about arguments that begin with a dash.
    throw new ConfigError(`${error.message.replace(/\. .*$/s, '')}; see --help`, { cause: error });
  }
}
