import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlFolder } from './sql-folder.ts';

/** Looks up the text of a `comment on column` statement by table and column. */
export type ColumnComments = (table: string, column: string) => string | undefined;

const LITERALS_PATTERN = "('(?:[^']|'')*'(?:\\s+'(?:[^']|'')*')*)";
const TABLE_COMMENT_PATTERN = new RegExp(
  `^comment on column public\\.(\\w+)\\.(\\w+) is\\s+${LITERALS_PATTERN};`,
  'gm',
);
const SHARED_COMMENT_PATTERN = new RegExp(`^ +\\('(\\w+)', ${LITERALS_PATTERN}\\),?$`, 'gm');

/** Reads the column comments in db/comments/tables for the OpenAPI description. */
export async function readColumnComments(): Promise<ColumnComments> {
  const tableCommentsFolder = sqlFolder('comments/tables');
  const commentTextsByColumn = new Map<string, string>();
  for (const file of (await readdir(tableCommentsFolder)).toSorted()) {
    const commentFileSql = await readFile(join(tableCommentsFolder, file), 'utf8');
    for (const [, column = '', literals = ''] of commentFileSql.matchAll(SHARED_COMMENT_PATTERN))
      commentTextsByColumn.set(column, unquoteLiterals(literals));
    for (const [, table, column, literals = ''] of commentFileSql.matchAll(TABLE_COMMENT_PATTERN))
      commentTextsByColumn.set(`${String(table)}.${String(column)}`, unquoteLiterals(literals));
  }
  return (table, column) => commentTextsByColumn.get(`${table}.${column}`) ?? commentTextsByColumn.get(column);
}

function unquoteLiterals(literals: string): string {
  return literals.slice(1, -1).replaceAll(/'\s+'/g, '').replaceAll("''", "'");
}
