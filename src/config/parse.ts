import type { z } from 'zod';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A wrong or missing variable; the message is one line that names each and never shows a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== ''));
}

/** The values of variables, each by its schema. @param further other problems. @throws ConfigError */
export function parse<T extends z.ZodType>(
  schema: T,
  set: Environment,
  further: readonly string[] = [],
): z.output<T> {
  const result = schema.safeParse(set);
  const problems = [...(result.error?.issues ?? []).map((issue) => describe(issue, set)), ...further];
  if (result.success && problems.length === 0) return result.data;
  throw new ConfigError([...new Set(problems)].join('; '));
}

function describe({ path, message }: z.core.$ZodIssue, set: Environment): string {
  const name = String(path[0]);
  return `${name} ${set[name] === undefined ? 'must be set' : message}`;
}
