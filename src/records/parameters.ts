import type { StatementParameter } from '../db/statement.ts';

/** Adds a parameter to a statement and returns its placeholder. */
export type AddParameter = (value: StatementParameter) => string;

export function collectParameters(): { readonly values: readonly StatementParameter[]; readonly add: AddParameter } {
  const values: StatementParameter[] = [];
  return { values, add: (value) => `$${String(values.push(value))}` };
}
