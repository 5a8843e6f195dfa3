import type pg from 'pg';
import type { MatrixRow } from '../../src/db/audit/read.ts';
import { type Fact, readDeclared, WHOLE_RELEASE } from '../../src/db/audit/declared.ts';
import { matrixText } from '../../src/db/audit/text.ts';

/** What a reviewer of rights reads; the whole state stands in db/audit/declared. */
const KINDS_OF_RIGHTS = new Set([
  'role',
  'membership',
  'table',
  'view',
  'policy',
  'grant',
  'default privileges',
  'function',
  'trigger',
]);

/** Where the rights stand that are meant; a change of any of them is a change of this file. */
export const GOLDEN_FILE = new URL('../../db/audit/matrix.golden', import.meta.url);

/** Everything that decides a right, always in the same order. */
export async function readFacts(client: pg.Client): Promise<Fact[]> {
  const { rows } = await client.query<Fact>(
    'select kind, object, definition from audit.state() order by kind collate "C", object collate "C"',
  );
  return rows;
}

/** Every right as text, whose diff a reviewer reads: the matrix first, then each fact behind it. */
export function renderGolden(matrix: readonly MatrixRow[], facts: readonly Fact[]): string {
  return [...matrixText(matrix), '', renderFacts(facts)].join('\n');
}

/** The facts that decide a right; the bodies of functions and views are reviewed where they are written. */
export function renderFacts(facts: readonly Fact[]): string {
  return [...facts.filter(({ kind }) => KINDS_OF_RIGHTS.has(kind)).flatMap(factLines), ''].join('\n');
}

/** A fact with each of its parts on a line of its own. */
function factLines({ kind, object, definition }: Fact): string[] {
  const parts = definition.split('; ');
  return [`${kind} ${object}`, ...parts.map((part) => `    ${part}`)];
}

/** The text of db/audit/declared for a release: every fact that the repository can know, or what is different from 18. */
export async function declaredLines(
  client: pg.Client,
  facts: readonly Fact[],
  release: number,
): Promise<string> {
  const { rows } = await client.query<{ kind: string }>(
    'select kind from audit.state_kinds where is_surrounding',
  );
  const surroundings = rows.map(({ kind }) => kind);
  const present = facts.filter(({ kind }) => !surroundings.includes(kind));
  const lines = release === WHOLE_RELEASE ? present : await differences(present);
  return [...lines.map(textOf).sort(), ''].join('\n');
}

/** What is different from the release whose facts are written out whole; without a definition what is not there. */
async function differences(present: readonly Fact[]): Promise<readonly (Fact | Omit<Fact, 'definition'>)[]> {
  const whole = (await readDeclared(WHOLE_RELEASE)).facts;
  const texts = new Set(whole.map(textOf));
  const places = new Set(present.map(({ kind, object }) => JSON.stringify([kind, object])));
  return [
    ...present.filter((fact) => !texts.has(textOf(fact))),
    ...whole
      .filter(({ kind, object }) => !places.has(JSON.stringify([kind, object])))
      .map(({ kind, object }) => ({ kind, object })),
  ];
}

function textOf(fact: Fact | Omit<Fact, 'definition'>): string {
  return JSON.stringify([fact.kind, fact.object, 'definition' in fact ? fact.definition : null]);
}
