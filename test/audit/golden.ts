import type pg from 'pg';
import type { MatrixRow } from '../../src/db/audit/read.ts';
import { matrixText } from '../../src/db/audit/text.ts';

interface Fact {
  readonly kind: string;
  readonly object: string;
  readonly definition: string;
}

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

/** The facts but for the bodies of functions and views, which are reviewed where they are written. */
export function renderFacts(facts: readonly Fact[]): string {
  return [...facts.filter(({ kind }) => !kind.endsWith(' body')).flatMap(factLines), ''].join('\n');
}

/** A fact with each of its parts on a line of its own. */
function factLines({ kind, object, definition }: Fact): string[] {
  const parts = definition.split(/; | (?=using \(|with check \()/);
  return [`${kind} ${object}`, ...parts.map((part) => `    ${part}`)];
}
