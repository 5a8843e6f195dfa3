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
 * Holds a database against the files of the repository, and what its own audit says against that. Of the database's
 * word it takes nothing but the surroundings noted at its first deploy. Within a transaction of the caller's.
 * @returns `blinded`: differences between the audit installed in the database and the repository's
 */
export async function seeDrift(client: pg.Client) {
  const { facts: declared } = await readDeclared(await serverRelease(client));
  const { facts, noted, meant, standing } = await look(client, declared);
  const accepted = await acceptedIn(client);
  const drift = standing.filter((one) => !accepted.has(asAccepted(one)));
  const { rows: said } = await client.query<Drift>(
    'select kind, object, change, applied, present from audit.drift',
  );
  const contradictions = (
    [
      ['audit.state() is not what is there,', await factsOf(client, 'audit.state()'), facts],
      ['audit.applied is not db/audit/declared,', meant, noted],
      ['audit.drift does not say what differs from db/audit/declared,', said.map(asFact), drift.map(asFact)],
    ] as const
  ).flatMap(([what, one, other]) => {
    const count = differences(one, other).length;
    return count === 0 ? [] : [`${what} in ${count} facts`];
  });
  // Accepted or not: an acceptance could hide the audit's own blindness.
  const ofAudit = standing
    .filter(({ kind, object }) => kind !== 'grant' && /(^| on )audit\./.test(object))
    .map(({ kind, object }) => `${kind} ${object}`);
  return { drift, blinded: [...ofAudit, ...contradictions] };
}

/**
 * True where a database, seen from outside, is not exactly as declared, or has noted something else as declared.
 * Accepted drift counts too: a deploy takes it back. Within a transaction of the caller's.
 */
export async function differsFrom(client: pg.Client, declared: readonly Fact[]): Promise<boolean> {
  const { noted, meant, standing } = await look(client, declared);
  return standing.length > 0 || differences(meant, noted).length > 0;
}

async function look(client: pg.Client, declared: readonly Fact[]) {
  const { facts, surroundings, mayBeAdded } = await readStateFromOutside(client);
  const noted = await factsOf(client, 'audit.applied');
  const meant = [...declared, ...noted.filter(({ kind }) => surroundings.includes(kind))];
  const standing = differences(meant, facts).filter(
    ({ kind, change }) => !(change === 'added' && mayBeAdded.includes(kind)),
  );
  return { facts, noted, meant, standing };
}

async function factsOf(client: pg.Client, from: 'audit.applied' | 'audit.state()'): Promise<Fact[]> {
  const { rows } = await client.query<Fact>(`select kind, object, definition from ${from}`);
  return rows;
}

async function acceptedIn(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ what: string; object: string; stood: string }>(
    'select what, object, as_it_stood as stood from audit.acceptances where withdrawn_at is null',
  );
  return new Set(rows.map(({ what, object, stood }) => JSON.stringify([what, object, stood])));
}

function asAccepted({ kind, object, change, present }: Drift): string {
  return JSON.stringify([kind, object, present === null ? change : `${change}: ${present}`]);
}

function asFact({ kind, object, change, applied, present }: Drift): Fact {
  return { kind, object, definition: JSON.stringify([change, applied, present]) };
}

/** In the order of their names. */
function differences(meant: readonly Fact[], there: readonly Fact[]): Drift[] {
  const byName = (facts: readonly Fact[]): Map<string, Fact> =>
    new Map(facts.map((fact) => [JSON.stringify([fact.kind, fact.object]), fact]));
  const [before, now] = [byName(meant), byName(there)];
  return [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((name): Drift[] => {
    const [was, is] = [before.get(name), now.get(name)];
    const { kind, object } = is ?? was ?? { kind: '', object: '' };
    if (was?.definition === is?.definition) return [];
    const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
    return [{ kind, object, change, applied: was?.definition ?? null, present: is?.definition ?? null }];
  });
}
