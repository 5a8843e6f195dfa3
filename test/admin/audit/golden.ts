import { spawnSync } from 'node:child_process';
import type pg from 'pg';
import {
  type DatabaseFact,
  type FileFact,
  readDeclaredFacts,
  type FactLine,
  FULL_FACTS_POSTGRES_RELEASE,
} from '../../../src/admin/audit/declared.ts';

/**
 * The file with the expected rights, as a table of roles and database objects. A reviewer reads the diff of this file
 * first.
 */
export const GOLDEN_FILE = new URL('../../../db/audit/matrix.golden', import.meta.url);

/**
 * Returns the rows of the function audit.state(), always in the same order. Each row describes a database object or a
 * right.
 */
export async function readFacts(client: pg.Client): Promise<DatabaseFact[]> {
  const { rows } = await client.query<DatabaseFact>(
    'select kind, object, definition from audit.state() order by kind collate "C", object collate "C"',
  );
  return rows;
}

/**
 * Returns the text of the file in db/audit/declared for a Postgres release. For Postgres 18, the file has all rows of
 * audit.state() that do not describe the server. For an earlier release, it has only the rows that differ from Postgres
 * 18.
 */
export async function declaredText(
  client: pg.Client,
  facts: readonly DatabaseFact[],
  release: number,
): Promise<string> {
  const present = await withoutServer(client, facts);
  return textOfParts(release === FULL_FACTS_POSTGRES_RELEASE ? present : await differences(present));
}

async function withoutServer(client: pg.Client, facts: readonly DatabaseFact[]): Promise<readonly DatabaseFact[]> {
  const { rows } = await client.query<{ kind: string }>('select kind from audit.kinds_of_state() where is_surrounding');
  return facts.filter(({ kind }) => !rows.some((row) => row.kind === kind));
}

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

/**
 * Returns the rows of audit.state() that differ from those of Postgres 18. If only Postgres 18 has a row, the returned
 * row has the definition null.
 */
async function differences(present: readonly DatabaseFact[]): Promise<readonly FileFact[]> {
  const whole = (await readDeclaredFacts(FULL_FACTS_POSTGRES_RELEASE)).facts;
  const meant = new Map(whole.map((fact) => [keyOf(fact), fact.definition]));
  const places = new Set(present.map(keyOf));
  return [
    ...present.filter((fact) => meant.get(keyOf(fact)) !== fact.definition),
    ...whole.filter((fact) => !places.has(keyOf(fact))).map((fact) => ({ ...fact, definition: null })),
  ];
}

/**
 * Describes for a person how the database differs from db/audit/declared. A changed definition is described by its
 * changed parts, and a changed function or view by the Git diff of its SQL file. If nothing differs, the text is empty.
 */
export async function describeChanges(
  client: pg.Client,
  facts: readonly DatabaseFact[],
  release: number,
): Promise<string> {
  const present = await withoutServer(client, facts);
  // Whenever any function changes, db:migrate also changes app.read_deployed_digests, which contains the digests of all
  // other functions. A change of this function alone therefore tells nothing.
  const isSource = ({ object }: FileFact): boolean => object !== 'app.read_deployed_digests()';
  const before = new Map((await readDeclaredFacts(release)).facts.filter(isSource).map((fact) => [keyOf(fact), fact]));
  const after = new Map(present.filter(isSource).map((fact) => [keyOf(fact), fact]));
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => before.get(key)?.definition !== after.get(key)?.definition,
  );
  const objects = changed.map((key) => ({ before: before.get(key), after: after.get(key) }));
  const bodies = objects.flatMap((one) => {
    const fact = one.after ?? one.before;
    return fact?.kind.endsWith(' body') === true ? [fact.object.replace(/\(.*/s, '')] : [];
  });
  return [...objects.flatMap(linesOfChange), ...diffOfSources(bodies)].join('\n');
}

function linesOfChange({ before, after }: { before: DatabaseFact | undefined; after: DatabaseFact | undefined }) {
  const { kind, object } = (after ?? before) as DatabaseFact;
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const parts = (fact?: DatabaseFact): string[] => (kind.endsWith(' body') ? [] : (fact?.definition.split('; ') ?? []));
  const without = (some: string[], others: string[]): string[] => some.filter((part) => !others.includes(part));
  return [
    `${change} ${kind} ${object}`,
    ...without(parts(before), parts(after)).map((part) => `  - ${part}`),
    ...without(parts(after), parts(before)).map((part) => `  + ${part}`),
  ];
}

/**
 * Returns the lines that changed in the SQL files of the given functions and views, as Git shows them. Returns nothing
 * if Git does not know the files.
 */
function diffOfSources(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const git = (...args: string[]): string[] =>
    spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' })
      .stdout.split('\n')
      .filter(Boolean);
  const patterns = names.flatMap((name) => ['-e', `(function|view) ${name.replaceAll('.', '\\.')}\\b`]);
  const files = git('grep', '--full-name', '-lP', ...patterns, '--', ':/db');
  const [declared = 'HEAD'] = git('log', '-1', '--format=%H', '--', ':/db/audit/declared');
  if (files.length === 0) return [];
  return git('diff', '--unified=2', declared, '--', ...files.map((file) => `:/${file}`)).filter(
    (line) => !/^(diff|index|---) /.test(line),
  );
}

function keyOf({ kind, object }: Pick<DatabaseFact, 'kind' | 'object'>): string {
  return JSON.stringify([kind, object]);
}
