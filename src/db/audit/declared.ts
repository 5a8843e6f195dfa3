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
  const facts = new Map((await readParts(WHOLE_RELEASE)).map((fact) => [keyOf(fact), fact]));
  if (release !== WHOLE_RELEASE) for (const fact of await readParts(release)) facts.set(keyOf(fact), fact);
  return {
    release,
    facts: [...facts.values()].flatMap(({ definition, ...fact }) =>
      definition === null ? [] : [{ ...fact, definition }],
    ),
  };
}

/** A fact of a file; no definition where it is not there in that release. */
export type Part = Omit<Fact, 'definition'> & { readonly definition: string | null };

/**
 * A line of a file: a fact, with the digest of its body where it is a function or a view; or the columns of a view,
 * by their names.
 */
export type Line =
  | readonly [kind: string, object: string, definition: string | null, body?: string]
  | readonly [kind: 'columns', view: string, definitions: Readonly<Record<string, string>>];

/** What a file's text says. */
export function partsOfText(text: string): Part[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line): Part[] => {
      const [kind, object, definition, body] = JSON.parse(line) as Line;
      if (typeof definition === 'object' && definition !== null)
        return Object.entries(definition).map(([name, one]) => ({
          kind: 'column',
          object: `${object}.${name}`,
          definition: one,
        }));
      const fact = { kind, object, definition };
      return body === undefined ? [fact] : [fact, { kind: `${kind} body`, object, definition: body }];
    });
}

export function fileOf(release: number): string {
  return sqlFolder(join(FOLDER, `${String(release)}.jsonl`));
}

async function readParts(release: number): Promise<Part[]> {
  return partsOfText(await readFile(fileOf(release), 'utf8'));
}

function keyOf({ kind, object }: Pick<Fact, 'kind' | 'object'>): string {
  return JSON.stringify([kind, object]);
}
