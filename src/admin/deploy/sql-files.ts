import { readFile, readdir } from 'node:fs/promises';
import { posix, sep } from 'node:path';
import type pg from 'pg';
import { sqlFolder } from '../../db/sql-folder.ts';
import { sqlFileError } from './refused.ts';
import type { UndroppedObjects } from './take-back.ts';

/** The texts of the SQL files by their paths below `db/`, in the order of the paths. */
export type SqlFiles = ReadonlyMap<string, string>;

export async function readSqlFiles(): Promise<SqlFiles> {
  const paths = (await readdir(sqlFolder(''), { recursive: true })).map((path) => path.replaceAll(sep, posix.sep));
  const sorted = paths.filter((path) => path.endsWith('.sql')).sort();
  return new Map(
    await Promise.all(sorted.map(async (path) => [path, await readFile(sqlFolder(path), 'utf8')] as const)),
  );
}

/** Returns the texts of the migrations by name, in the order in which they are applied. */
export function migrationsOf(files: SqlFiles): ReadonlyMap<string, string> {
  const migrations = [...files].filter(([path]) => path.startsWith('migrations/'));
  return new Map(migrations.map(([path, text]) => [posix.basename(path, '.sql'), text]));
}

/** Runs the files of the given paths and folders. */
export async function runSqlFiles(
  client: pg.Client,
  files: SqlFiles,
  paths: readonly string[],
  undropped?: UndroppedObjects,
): Promise<void> {
  for (const path of paths)
    for (const [file, text] of files)
      if (file === path || posix.dirname(file) === path)
        await client.query(text).catch((error: unknown) => {
          throw sqlFileError(file, text, error, undropped);
        });
}
