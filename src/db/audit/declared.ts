import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlFolder } from '../sql-folder.ts';

/** A row of `audit.state()`. */
export interface Fact {
  readonly kind: string;
  readonly object: string;
  readonly definition: string;
}

/** What a migrated database must hold, as the repository says it. */
export interface Declared {
  readonly facts: readonly Fact[];
  /** The major release of Postgres that they were written for: the server's, or the newest there is. */
  readonly release: number;
}

/** The release whose facts are written out whole; the files of the others say what is different there. */
export const WHOLE_RELEASE = 18;

const FOLDER = 'audit/declared';

/** @throws Error where the server is older than any file, or a file cannot be read. */
export async function readDeclared(serverRelease: number): Promise<Declared> {
  const releases = (await readdir(sqlFolder(FOLDER)))
    .flatMap((file) => /^(\d+)\.jsonl$/.exec(file)?.[1] ?? [])
    .map(Number);
  const release = Math.max(...releases.filter((one) => one <= serverRelease));
  if (!Number.isFinite(release)) {
    throw new Error(`db/${FOLDER} has no file for Postgres ${String(serverRelease)}`);
  }
  const facts = new Map((await readLines(WHOLE_RELEASE)).map((line) => [keyOf(line), line]));
  if (release !== WHOLE_RELEASE) for (const line of await readLines(release)) facts.set(keyOf(line), line);
  return {
    release,
    facts: [...facts.values()].flatMap(([kind, object, definition]) =>
      definition === null ? [] : [{ kind, object, definition }],
    ),
  };
}

/** A line of a file; no definition where the fact is not there in that release. */
export type Line = readonly [kind: string, object: string, definition: string | null];

export function fileOf(release: number): string {
  return sqlFolder(join(FOLDER, `${String(release)}.jsonl`));
}

async function readLines(release: number): Promise<Line[]> {
  const text = await readFile(fileOf(release), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

function keyOf([kind, object]: Line): string {
  return JSON.stringify([kind, object]);
}
