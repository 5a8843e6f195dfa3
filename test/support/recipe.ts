import { readFile } from 'node:fs/promises';
import { sqlFolder } from '../../src/db/sql-folder.ts';

/**
 * The block of SQL in db/README.md that begins so, as it is printed, with these names in place of the printed ones.
 * @throws when there is none, or a printed name does not stand in it.
 */
export async function recipe(beginning: string, names: Readonly<Record<string, string>>): Promise<string> {
  const readme = await readFile(sqlFolder('README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, sql = '']) => sql);
  const found = blocks.find((sql) => sql.startsWith(beginning));
  if (found === undefined) throw new Error(`db/README.md has no recipe that begins with ${beginning}`);
  return Object.entries(names).reduce((sql, [printed, name]) => {
    if (!sql.includes(printed)) throw new Error(`${printed} does not stand in the recipe ${beginning}`);
    return sql.replaceAll(printed, name);
  }, found);
}
