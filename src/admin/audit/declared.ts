import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlFolder } from '../../db/sql-folder.ts';

export interface DatabaseFact {
  readonly kind: string;
  readonly object: string;
  readonly definition: string;
}

/** The Postgres release whose file in db/audit/declared is complete; other files list only differences from it. */
export const FULL_FACTS_POSTGRES_RELEASE = 18;

const DECLARED_FACTS_FOLDER = 'audit/declared';

/**
 * Returns the facts declared for the server's Postgres release, or else for the closest older release with a file.
 * @throws Error where the server is older than any file
 */
export async function readDeclaredFacts(server: number) {
  const releases = (await readdir(sqlFolder(DECLARED_FACTS_FOLDER)))
    .flatMap((file) => /^(\d+)\.jsonl$/.exec(file)?.[1] ?? [])
    .map(Number);
  const release = Math.max(...releases.filter((one) => one <= server));
  if (!Number.isFinite(release)) {
    throw new Error(`db/${DECLARED_FACTS_FOLDER} has no file for Postgres ${server}`);
  }
  const files = release === FULL_FACTS_POSTGRES_RELEASE ? [release] : [FULL_FACTS_POSTGRES_RELEASE, release];
  const lists = await Promise.all(files.map(async (file) => parseFacts(await readFile(factFilePath(file), 'utf8'))));
  const facts = new Map(lists.flat().map((fact) => [JSON.stringify([fact.kind, fact.object]), fact]));
  return { release, facts: [...facts.values()].filter((fact): fact is DatabaseFact => fact.definition !== null) };
}

/** A fact in db/audit/declared for one Postgres release; its definition is null if this release has no such fact. */
export type FileFact = Omit<DatabaseFact, 'definition'> & { readonly definition: string | null };

/** A line in db/audit/declared: either one fact, or all columns of a view. */
export type FactLine =
  | readonly [kind: string, object: string, definition: string | null, body?: string]
  | readonly [kind: 'columns', view: string, definitions: Readonly<Record<string, string>>];

export function parseFacts(text: string): FileFact[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line): FileFact[] => {
      const [kind, object, definition, body] = JSON.parse(line) as FactLine;
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

export function factFilePath(release: number): string {
  return sqlFolder(join(DECLARED_FACTS_FOLDER, `${release}.jsonl`));
}
