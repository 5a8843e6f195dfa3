import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** A named SQL statement in an SQL file of the tests. A line `--> name said` stands before the statement. */
interface Part {
  readonly said: string;
  readonly sql: string;
}

/**
 * An action on a database, as an SQL file of the tests describes it. A line such as `-- column | column` comes first
 * and gives the texts in `head`; the SQL of the action and named statements follow.
 */
interface Listed {
  readonly head: readonly string[];
  readonly sql: string;
  readonly parts: Readonly<Partial<Record<string, Part>>>;
}

/**
 * Reads the actions of an SQL file of the tests, such as faults/damages.sql, and replaces each `:NAME` by the text of
 * that name.
 */
export function listed(file: string, texts: Readonly<Record<string, string>> = {}): readonly Listed[] {
  const whole = Object.entries(texts).reduce(
    (text, [name, value]) => text.replaceAll(`:${name}`, value),
    readFileSync(join(import.meta.dirname, '..', file), 'utf8'),
  );
  return whole
    .split(/^-- /m)
    .slice(1)
    .map((entry) => {
      const [[head, sql] = ['', ''], ...parts] = entry.split(/^--> /m).map(untilLineEnd);
      return { head: head.split(' | '), sql, parts: Object.fromEntries(parts.map(partOf)) };
    });
}

function untilLineEnd(text: string): readonly [line: string, rest: string] {
  const end = text.indexOf('\n');
  return [text.slice(0, end), text.slice(end + 1).trim()];
}

function partOf([line, sql]: readonly [string, string]): readonly [string, Part] {
  const [name = '', ...said] = line.split(' ');
  return [name, { said: said.join(' '), sql }];
}

/** Replaces `:"DBNAME…"` in SQL by the name of the given database. */
export function sqlFor({ name }: { readonly name: string }, sql: string): string {
  return sql.replaceAll(/:"DBNAME(\w*)"/g, (_all, more: string) => pg.escapeIdentifier(name + more));
}
