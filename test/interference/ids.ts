import { createHash } from 'node:crypto';

/** A UUID that is computed from names. Its version is 8; the random UUIDs of Postgres have version 4. */
export function idOf(...names: readonly (string | number)[]): string {
  const hex = createHash('md5').update(names.join('/')).digest('hex');
  const id = `${hex.slice(0, 12)}8${hex.slice(13, 16)}8${hex.slice(17)}`;
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** An SQL expression for a UUID that is computed from names and numbers. */
export function idSql(seed: string, kind: string, ...numbers: readonly string[]): string {
  const name = [`'${seed}/${kind}'`, ...numbers.map((number) => `(${number})::text`)].join(` || '/' || `);
  return `overlay(overlay(md5(${name}) placing '8' from 13) placing '8' from 17)::uuid`;
}
