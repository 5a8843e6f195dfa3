import type { z } from 'zod';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reports invalid environment variables: the message names each variable in one line and shows no values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export function omitEmptyVariables(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== ''));
}

export function parseVariables<T extends z.ZodType>(
  schema: T,
  set: Environment,
  extra: readonly string[] = [],
): z.output<T> {
  const result = schema.safeParse(set);
  const problems = [...(result.error?.issues ?? []).map((issue) => problemText(issue, set)), ...extra];
  if (result.success && problems.length === 0) return result.data;
  throw new ConfigError([...new Set(problems)].join('; '));
}

function problemText({ path, message }: z.core.$ZodIssue, set: Environment): string {
  const name = String(path[0]);
  return `${name} ${set[name] === undefined ? 'must be set' : message}`;
}
