import type pg from 'pg';
import { type Fact, readDeclared } from './declared.ts';
import { readStateFromOutside, serverRelease } from './state.ts';

export interface Drift {
  readonly kind: string;
  readonly object: string;
  readonly change: string;
  readonly applied: string | null;
  readonly present: string | null;
}

/**
 * Compares a database with the facts that the repository declares in db/audit/declared, and with what the audit views
 * inside the database report. The expected facts about the server, such as settings, come from the database, where the
 * first deploy recorded them. The caller must have begun a transaction.
 * @returns `auditDifferences`: differences between the audit installed in the database and the repository's
 */
export async function detectDrift(client: pg.Client) {
  const { facts: declared } = await readDeclared(await serverRelease(client));
  const { facts, recorded, expected, differing } = await compareWithDeclared(client, declared);
  const acceptedKeys = await readAcceptances(client);
  const drift = differing.filter((one) => !acceptedKeys.has(acceptanceKey(one)));
  const { rows: reported } = await client.query<Drift>(
    'select kind, object, change, applied, present from audit.drift',
  );
  const contradictions = (
    [
      ['audit.state() is not what is there,', await factsOf(client, 'audit.state()'), facts],
      ['audit.applied is not db/audit/declared,', expected, recorded],
      [
        'audit.drift does not say what differs from db/audit/declared,',
        ...[reported.map(driftAsFact), drift.map(driftAsFact)],
      ],
    ] as const
  ).flatMap(([what, one, other]) => {
    const count = findDifferences(one, other).length;
    return count === 0 ? [] : [`${what} in ${count} facts`];
  });
  // Includes differences that a DBA accepted, because an acceptance could hide a change of the audit's own objects.
  const changedAuditObjects = differing
    .filter(({ kind, object }) => kind !== 'grant' && /(^| on )audit\./.test(object))
    .map(({ kind, object }) => `${kind} ${object}`);
  return { drift, auditDifferences: [...changedAuditObjects, ...contradictions] };
}

/** True if the database differs from the declared facts, even if a DBA accepted the difference. Needs a transaction. */
export async function differsFrom(client: pg.Client, declared: readonly Fact[]): Promise<boolean> {
  const { recorded, expected, differing } = await compareWithDeclared(client, declared);
  return differing.length > 0 || findDifferences(expected, recorded).length > 0;
}

async function compareWithDeclared(client: pg.Client, declared: readonly Fact[]) {
  const { facts, surroundings, mayBeAdded } = await readStateFromOutside(client);
  const recorded = await factsOf(client, 'audit.applied');
  const expected = [...declared, ...recorded.filter(({ kind }) => surroundings.includes(kind))];
  const differing = findDifferences(expected, facts).filter(
    ({ kind, change }) => !(change === 'added' && mayBeAdded.includes(kind)),
  );
  return { facts, recorded, expected, differing };
}

async function factsOf(client: pg.Client, from: 'audit.applied' | 'audit.state()'): Promise<Fact[]> {
  const { rows } = await client.query<Fact>(`select kind, object, definition from ${from}`);
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

function driftAsFact({ kind, object, change, applied, present }: Drift): Fact {
  return { kind, object, definition: JSON.stringify([change, applied, present]) };
}

function findDifferences(expected: readonly Fact[], present: readonly Fact[]): Drift[] {
  const byName = (facts: readonly Fact[]): Map<string, Fact> =>
    new Map(facts.map((fact) => [JSON.stringify([fact.kind, fact.object]), fact]));
  const [before, now] = [byName(expected), byName(present)];
  return [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((name): Drift[] => {
    const [was, is] = [before.get(name), now.get(name)];
    const { kind, object } = is ?? was ?? { kind: '', object: '' };
    if (was?.definition === is?.definition) return [];
    const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
    return [{ kind, object, change, applied: was?.definition ?? null, present: is?.definition ?? null }];
  });
}
