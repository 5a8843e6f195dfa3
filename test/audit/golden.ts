import type pg from 'pg';
import {
  type DatabaseFact,
  type FileFact,
  readDeclaredFacts,
  type FactLine,
  FULL_FACTS_POSTGRES_RELEASE,
} from '../../src/db/audit/declared.ts';

/** Where the matrix stands that is meant: what the rights come to, whose diff a reviewer reads first. */
export const GOLDEN_FILE = new URL('../../db/audit/matrix.golden', import.meta.url);

/** Everything that decides a right, always in the same order. */
export async function readFacts(client: pg.Client): Promise<DatabaseFact[]> {
  const { rows } = await client.query<DatabaseFact>(
    'select kind, object, definition from audit.state() order by kind collate "C", object collate "C"',
  );
  return rows;
}

/** The text of db/audit/declared for a release: every fact that the repository can know, or what is different from 18. */
export async function declaredText(
  client: pg.Client,
  facts: readonly DatabaseFact[],
  release: number,
): Promise<string> {
  const { rows } = await client.query<{ kind: string }>('select kind from audit.kinds_of_state() where is_surrounding');
  const surroundings = rows.map(({ kind }) => kind);
  const present = facts.filter(({ kind }) => !surroundings.includes(kind));
  return textOfParts(release === FULL_FACTS_POSTGRES_RELEASE ? present : await differences(present));
}

/** The text of a file, one part a line: what a reviewer reads. */
export function textOfParts(parts: readonly FileFact[]): string {
  const definitions = new Map(parts.map((part) => [keyOf(part), part.definition]));
  const columnsOf = Map.groupBy(
    parts.filter(({ kind, definition }) => kind === 'column' && definition !== null),
    ({ object }) => object.slice(0, object.lastIndexOf('.')),
  );
  const bodyOf = ({ kind, object }: FileFact): string | undefined =>
    definitions.get(keyOf({ kind: `${kind} body`, object })) ?? undefined;
  const isImplied = ({ kind, object }: FileFact): boolean =>
    kind === 'column'
      ? typeof definitions.get(keyOf({ kind: 'view', object: object.slice(0, object.lastIndexOf('.')) })) === 'string'
      : kind.endsWith(' body') &&
        typeof definitions.get(keyOf({ kind: kind.replace(/ body$/, ''), object })) === 'string';
  const lines = parts
    .filter((part) => part.definition === null || !isImplied(part))
    .flatMap((part): FactLine[] => {
      const { kind, object, definition } = part;
      const body = definition === null ? undefined : bodyOf(part);
      const columns = kind === 'view' && definition !== null ? columnsOf.get(object) : undefined;
      return [
        body === undefined ? [kind, object, definition] : [kind, object, definition, body],
        ...(columns === undefined ? [] : [['columns', object, namesOf(columns)] as const]),
      ];
    });
  return [...lines.map((line) => JSON.stringify(line)).sort(), ''].join('\n');
}

function namesOf(columns: readonly FileFact[]): Record<string, string> {
  return Object.fromEntries(
    columns.map(({ object, definition }) => [object.slice(object.lastIndexOf('.') + 1), definition ?? '']),
  );
}

/** What is different from the release whose facts are written out whole; without a definition what is not there. */
async function differences(present: readonly DatabaseFact[]): Promise<readonly FileFact[]> {
  const whole = (await readDeclaredFacts(FULL_FACTS_POSTGRES_RELEASE)).facts;
  const meant = new Map(whole.map((fact) => [keyOf(fact), fact.definition]));
  const places = new Set(present.map(keyOf));
  return [
    ...present.filter((fact) => meant.get(keyOf(fact)) !== fact.definition),
    ...whole.filter((fact) => !places.has(keyOf(fact))).map((fact) => ({ ...fact, definition: null })),
  ];
}

function keyOf({ kind, object }: Pick<DatabaseFact, 'kind' | 'object'>): string {
  return JSON.stringify([kind, object]);
}
