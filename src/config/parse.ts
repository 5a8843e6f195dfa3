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
  extraProblems: readonly string[] = [],
): z.output<T> {
  const variablesParseResult = schema.safeParse(set);
  const variableProblems = [
    ...(variablesParseResult.error?.issues ?? []).map((issue) => problemText(issue, set)),
    ...extraProblems,
  ];
  if (variablesParseResult.success && variableProblems.length === 0) return variablesParseResult.data;
  throw new ConfigError([...new Set(variableProblems)].join('; '));
}

function problemText({ path, message }: z.core.$ZodIssue, set: Environment): string {
  const variableName = String(path[0]);
  return `${variableName} ${set[variableName] === undefined ? 'must be set' : message}`;
}
