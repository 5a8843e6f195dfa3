import { createHash } from 'node:crypto';

/** A UUID that is derived from names. Postgres's random UUIDs have version 4, and this UUID has version 8. */
export function idOf(...names: readonly (string | number)[]): string {
  const hex = createHash('md5').update(names.join('/')).digest('hex');
  const id = `${hex.slice(0, 12)}8${hex.slice(13, 16)}8${hex.slice(17)}`;
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The SQL expression of a UUID derived from names; `numbers` are SQL expressions too. */
export function idSql(seed: string, kind: string, ...numbers: readonly string[]): string {
  const name = [`'${seed}/${kind}'`, ...numbers.map((number) => `(${number})::text`)].join(` || '/' || `);
  return `overlay(overlay(md5(${name}) placing '8' from 13) placing '8' from 17)::uuid`;
}
