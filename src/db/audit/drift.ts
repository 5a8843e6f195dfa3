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

/** What is not as declared, seen with the queries and the files of the repository alone. */
export interface SeenDrift {
  readonly drift: readonly Drift[];
  /** In what the audit that lives in the database is not the repository's, or says something else than these. */
  readonly blinded: readonly string[];
}

/**
 * Holds a database against the files of the repository, and what its own audit says against that. Of the database's
 * word it takes nothing but the surroundings that it noted at its first deploy. Within a transaction of the caller's.
 */
export async function seeDrift(client: pg.Client): Promise<SeenDrift> {
  const { facts, surroundings, mayBeAdded } = await readStateFromOutside(client);
  const { facts: declared } = await readDeclared(await serverRelease(client));
  const noted = await factsOf(client, 'audit.applied');
  const ofSurroundings = ({ kind }: Fact): boolean => surroundings.includes(kind);
  const accepted = await acceptedIn(client);
  const standing = differences([...declared, ...noted.filter(ofSurroundings)], facts).filter(
    ({ kind, change }) => !(change === 'added' && mayBeAdded.includes(kind)),
  );
  const drift = standing.filter((one) => !accepted.has(asAccepted(one)));
  return {
    drift,
    blinded: [
      // Accepted or not: what an acceptance could hide would be the audit's own blindness.
      ...ofAudit(standing),
      ...(await contradictions(client, { declared, noted, facts, drift, ofSurroundings })),
    ],
  };
}

/**
 * Whether a database, seen from outside, is not exactly as declared, or what it noted as declared is not. What was accepted
 * counts too: it is for a deploy to take back. Within a transaction of the caller's.
 */
export async function differsFrom(client: pg.Client, declared: readonly Fact[]): Promise<boolean> {
  const { facts, surroundings, mayBeAdded } = await readStateFromOutside(client);
  const noted = await factsOf(client, 'audit.applied');
  const around = noted.filter(({ kind }) => surroundings.includes(kind));
  const meant = [...declared, ...around];
  return (
    differences(meant, noted).length > 0 ||
    differences(meant, facts).some(({ kind, change }) => !(change === 'added' && mayBeAdded.includes(kind)))
  );
}

/** Facts about the audit itself: its functions, its views, the table of what was applied. */
function ofAudit(drift: readonly Drift[]): string[] {
  return drift
    .filter(({ kind, object }) => kind !== 'grant' && /(^| on )audit\./.test(object))
    .map(({ kind, object }) => `${kind} ${object}`);
}

interface Views {
  readonly declared: readonly Fact[];
  readonly noted: readonly Fact[];
  readonly facts: readonly Fact[];
  readonly drift: readonly Drift[];
  readonly ofSurroundings: (fact: Fact) => boolean;
}

/** Where what the database says of itself is not what is seen from outside. */
async function contradictions(
  client: pg.Client,
  { declared, noted, facts, drift, ofSurroundings }: Views,
): Promise<string[]> {
  const { rows: said } = await client.query<Drift>(
    'select kind, object, change, applied, present from audit.drift',
  );
  const counted = (count: number, what: string): string[] =>
    count === 0 ? [] : [`${what} in ${String(count)} facts`];
  return [
    ...counted(
      differences(await factsOf(client, 'audit.state()'), facts).length,
      'audit.state() is not what is there,',
    ),
    ...counted(
      differences(
        declared,
        noted.filter((fact) => !ofSurroundings(fact)),
      ).length,
      'audit.applied is not db/audit/declared,',
    ),
    ...counted(
      differences(said.map(asFact), drift.map(asFact)).length,
      'audit.drift does not say what differs from db/audit/declared,',
    ),
  ];
}

async function factsOf(client: pg.Client, from: 'audit.applied' | 'audit.state()'): Promise<Fact[]> {
  const { rows } = await client.query<Fact>(`select kind, object, definition from ${from}`);
  return rows;
}

/** What is accepted, as `asAccepted` writes it: the decision of a DBA, which no file of the repository can know. */
async function acceptedIn(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ what: string; object: string; asItStood: string }>(
    `select what, object, as_it_stood as "asItStood" from audit.acceptances where withdrawn_at is null`,
  );
  return new Set(rows.map(({ what, object, asItStood }) => JSON.stringify([what, object, asItStood])));
}

function asAccepted({ kind, object, change, present }: Drift): string {
  return JSON.stringify([kind, object, present === null ? change : `${change}: ${present}`]);
}

function asFact({ kind, object, change, applied, present }: Drift): Fact {
  return { kind, object, definition: JSON.stringify([change, applied, present]) };
}

/** What differs between facts that are meant and facts that are there, in the order of their names. */
function differences(meant: readonly Fact[], there: readonly Fact[]): Drift[] {
  const key = ({ kind, object }: Fact): string => JSON.stringify([kind, object]);
  const before = new Map(meant.map((fact) => [key(fact), fact]));
  const now = new Map(there.map((fact) => [key(fact), fact]));
  return [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((place): Drift[] => {
    const [was, is] = [before.get(place), now.get(place)];
    const { kind, object } = is ?? was ?? { kind: '', object: '' };
    if (was?.definition === is?.definition) return [];
    const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
    return [{ kind, object, change, applied: was?.definition ?? null, present: is?.definition ?? null }];
  });
}
