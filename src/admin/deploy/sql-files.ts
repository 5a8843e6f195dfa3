import { readFile, readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import type pg from 'pg';
import { sqlFolder } from '../../db/sql-folder.ts';
import { sqlFileError } from './refused.ts';
import type { UndroppedObjects } from './take-back.ts';

/** The texts of the files that a deploy applies, by their paths below `db/`; those of a folder in the order of names. */
export type SqlFiles = ReadonlyMap<string, string>;

const FOLDERS = [
  ...['migrations', 'functions', 'functions/definer', 'triggers', 'policies', 'reporting', 'policies/derived'],
  ...['audit/facts', 'audit/findings', 'audit', 'audit/accepting'],
  ...['comments/tables', 'comments'],
];
export const AUDIT_LOG_FUNCTIONS = ['3-functions', '3-losses', '3-retention', '4-close'].map(
  (part) => `audit-log/${part}.sql`,
);
const SINGLE_FILES = [
  ...['house-roles.sql', 'roles.sql', 'nesting.sql', 'deploy-lock.sql'],
  ...['reset.sql', 'take-back.sql', 'guards-as-deployed.sql'],
  ...['audit/as_caller/attempt.sql', 'audit/as_caller/hand_over.sql'],
  ...['audit-log/1-rights.sql', 'audit-log/2-hand-over.sql', ...AUDIT_LOG_FUNCTIONS, 'audit-log/5-tend.sql'],
];

export async function readSqlFiles(): Promise<SqlFiles> {
  const listed = FOLDERS.map(async (folder) => {
    const names = (await readdir(sqlFolder(folder))).filter((name) => name.endsWith('.sql')).sort();
    return names.map((name) => posix.join(folder, name));
  });
  const paths = [...(await Promise.all(listed)).flat(), ...SINGLE_FILES];
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(sqlFolder(path), 'utf8')] as const)),
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
