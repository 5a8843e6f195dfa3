import { createHash } from 'node:crypto';

/**
 * An id that is the same wherever it is made. Of version 8, so that one which Postgres makes up, of version 4, is told
 * from every row of a world.
 */
export function idOf(...names: readonly (string | number)[]): string {
  const hex = createHash('md5').update(names.join('/')).digest('hex');
  const id = `${hex.slice(0, 12)}8${hex.slice(13, 16)}8${hex.slice(17)}`;
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The same in SQL: an expression of the id of a kind, with numbers that are expressions as well. */
export function idSql(seed: string, kind: string, ...numbers: readonly string[]): string {
  const name = [`'${seed}/${kind}'`, ...numbers.map((number) => `(${number})::text`)].join(` || '/' || `);
  return `overlay(overlay(md5(${name}) placing '8' from 13) placing '8' from 17)::uuid`;
}
