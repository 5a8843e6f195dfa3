import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlFolder } from './sql-folder.ts';

export type ColumnComments = (table: string, column: string) => string | undefined;

const LITERALS_PATTERN = "('(?:[^']|'')*'(?:\\s+'(?:[^']|'')*')*)";
const TABLE_COMMENT_PATTERN = new RegExp(
  `^comment on column public\\.(\\w+)\\.(\\w+) is\\s+${LITERALS_PATTERN};`,
  'gm',
);
const SHARED_COMMENT_PATTERN = new RegExp(`^ +\\('(\\w+)', ${LITERALS_PATTERN}\\),?$`, 'gm');

export async function readColumnComments(): Promise<ColumnComments> {
  const folder = sqlFolder('comments/tables');
  const texts = new Map<string, string>();
  for (const file of (await readdir(folder)).toSorted()) {
    const sql = await readFile(join(folder, file), 'utf8');
    for (const [, column = '', literals = ''] of sql.matchAll(SHARED_COMMENT_PATTERN))
      texts.set(column, unquoteLiterals(literals));
    for (const [, table, column, literals = ''] of sql.matchAll(TABLE_COMMENT_PATTERN))
      texts.set(`${String(table)}.${String(column)}`, unquoteLiterals(literals));
  }
  return (table, column) => texts.get(`${table}.${column}`) ?? texts.get(column);
}

function unquoteLiterals(literals: string): string {
  return literals.slice(1, -1).replaceAll(/'\s+'/g, '').replaceAll("''", "'");
}
