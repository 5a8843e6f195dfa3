import type pg from 'pg';
import { type DatabaseFact, readDeclaredFacts } from './declared.ts';
import { readStateWithRepositorySql, readServerRelease } from './state.ts';

export interface Drift {
  readonly kind: string;
  readonly object: string;
  readonly change: string;
  readonly applied: string | null;
  readonly present: string | null;
}

/**
 * Compares a database with the facts in db/audit/declared, and checks that the audit inside the database reports the
 * same differences. Facts about the server, such as its settings, are compared with those that the first deploy
 * recorded in the database. The caller must have begun a transaction.
 * @returns `auditDifferences`: differences between the audit installed in the database and the repository's
 */
export async function detectDrift(client: pg.Client) {
  const { facts: declared } = await readDeclaredFacts(await readServerRelease(client));
  const { facts, recorded, expected, differing } = await compareState(client, declared);
  const accepted = await readAcceptances(client);
  const drift = differing.filter((one) => !accepted.has(acceptanceKey(one)));
  const { rows: reported } = await client.query<Drift>(
    'select kind, object, change, applied, present from audit.drift',
  );
  const pairs = [
    ['audit.state() differs from the catalogs', await readRecordedFacts(client, 'audit.state()'), facts],
    ['audit.applied differs from db/audit/declared', expected, recorded],
    ['audit.drift differs from the comparison with db/audit/declared', reported.map(asFact), drift.map(asFact)],
  ] as const;
  const contradictions = pairs.flatMap(([what, one, other]) => {
    const count = findDifferences(one, other).length;
    return count === 0 ? [] : [`${what} in ${count} facts`];
  });
  // `changed` includes accepted differences, because an acceptance could hide a change of an audit object.
  const changed = differing
    .filter(({ kind, object }) => kind !== 'grant' && /(^| on )audit\./.test(object))
    .map(({ kind, object }) => `${kind} ${object}`);
  return { drift, auditDifferences: [...changed, ...contradictions] };
}

/** Returns a missing revoke of a right as an added right, and an added revoke as a removed right. */
export function showRevokesAsRights(drift: Drift): Drift {
  const { kind, change, applied, present } = drift;
  const parts = (applied ?? present ?? '').split('; ');
  if (kind !== 'grant' || change === 'changed' || !parts.every((part) => part.startsWith('without '))) return drift;
  const rights = parts.map((part) => part.replace('without ', '')).join('; ');
  return change === 'removed'
    ? { ...drift, change: 'added', applied: null, present: rights }
    : { ...drift, change: 'removed', applied: rights, present: null };
}

/** True if the database differs from the declared facts in what nobody has accepted. Needs a transaction. */
export async function differsFromDeclaredFacts(client: pg.Client, declared: readonly DatabaseFact[]): Promise<boolean> {
  const { recorded, expected, differing } = await compareState(client, declared);
  const accepted = await readAcceptances(client);
  return differing.some((one) => !accepted.has(acceptanceKey(one))) || findDifferences(expected, recorded).length > 0;
}

async function compareState(client: pg.Client, declared: readonly DatabaseFact[]) {
  const { facts, surroundings, mayBeAdded, leftOpen } = await readStateWithRepositorySql(client);
  const recorded = await readRecordedFacts(client, 'audit.applied');
  const expected = [...declared, ...recorded.filter(({ kind }) => surroundings.includes(kind))];
  const differing = findDifferences(expected.flatMap(asComparedFact), facts).filter(
    ({ kind, object, change }) =>
      !(change === 'added' && mayBeAdded.includes(kind)) &&
      !(change !== 'changed' && kind === 'grant' && leftOpen.includes(object)),
  );
  return { facts, recorded, expected, differing };
}

/** Of what a first deploy on a bought Postgres recorded, audit.state() has default privileges and publications. */
function asComparedFact(fact: DatabaseFact): DatabaseFact[] {
  const [, kind] = /^earlier (default privileges|publication|published table|published schema)$/.exec(fact.kind) ?? [];
  if (kind !== undefined) return [{ ...fact, kind }];
  return fact.kind.startsWith('earlier ') ? [] : [fact];
}

async function readRecordedFacts(client: pg.Client, from: 'audit.applied' | 'audit.state()'): Promise<DatabaseFact[]> {
  const { rows } = await client.query<DatabaseFact>(`select kind, object, definition from ${from}`);
  return rows;
}

async function readAcceptances(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ what: string; object: string; stood: string }>(
    'select what, object, as_it_stood as stood from audit.acceptances where withdrawn_at is null',
  );
  return new Set(rows.map(({ what, object, stood }) => JSON.stringify([what, object, stood])));
}

function acceptanceKey({ kind, object, change, present }: Drift): string {
  return JSON.stringify([kind, object, present === null ? change : `${change}: ${present}`]);
}

function asFact({ kind, object, change, applied, present }: Drift): DatabaseFact {
  return { kind, object, definition: JSON.stringify([change, applied, present]) };
}

function findDifferences(expected: readonly DatabaseFact[], present: readonly DatabaseFact[]): Drift[] {
  const index = (facts: readonly DatabaseFact[]): Map<string, DatabaseFact> =>
    new Map(facts.map((fact) => [JSON.stringify([fact.kind, fact.object]), fact]));
  const [before, now] = [index(expected), index(present)];
  return [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((name): Drift[] => {
    const [was, is] = [before.get(name), now.get(name)];
    const { kind, object } = is ?? was ?? { kind: '', object: '' };
    if (was?.definition === is?.definition) return [];
    const later = is === undefined ? 'removed' : 'changed';
    const change = was === undefined ? 'added' : later;
    return [{ kind, object, change, applied: was?.definition ?? null, present: is?.definition ?? null }];
  });
}
