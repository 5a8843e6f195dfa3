import { readFile } from 'node:fs/promises';
import { sqlFolder } from '../../src/db/sql-folder.ts';

/** Returns the SQL with which a deploy creates and corrects the database roles. */
export async function rolesSql(): Promise<string> {
  const files = ['house-roles.sql', 'roles.sql', 'nesting.sql'];
  return (await Promise.all(files.map((file) => readFile(sqlFolder(file), 'utf8')))).join('\n');
}
