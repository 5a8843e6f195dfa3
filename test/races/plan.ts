import { HOLDS, sharedTables } from './holds.ts';
import type { Hold } from './holds.ts';
import type { Measured } from './measure.ts';
import type { Race } from './race.ts';

export interface Plan {
  readonly pairs: number;
  readonly triples: number;
  readonly races: readonly Race[];
}

/**
 * True if two requests conflict: both write the same record, or both create records in one table, or one changes the
 * caller of the other.
 */
function meet(one: Measured, other: Measured): boolean {
  const isAbout = ({ touched }: Measured, record = ''): boolean => touched.includes(record);
  return (
    one.touched.some((record) => isAbout(other, record)) || isAbout(one, other.caller) || isAbout(other, one.caller)
  );
}

/** Returns every pair of requests that write the same table. A request also forms a pair with itself. */
function pairsOf(all: readonly Measured[]): Measured[][] {
  return all.flatMap((one, index) =>
    all.slice(index).flatMap((other) => (sharedTables([one, other]).length > 0 ? [[one, other]] : [])),
  );
}

/**
 * Returns every group of three requests that write the same table, if each of them conflicts with at least one of the
 * other two.
 */
function triplesOf(all: readonly Measured[]): Measured[][] {
  return all.flatMap((one, first) =>
    all.slice(first + 1).flatMap((second, place) =>
      all.slice(first + place + 2).flatMap((third) => {
        if (sharedTables([one, second, third]).length === 0) return [];
        const meetings = [meet(one, second), meet(one, third), meet(second, third)];
        return meetings.filter(Boolean).length >= 2 ? [[one, second, third]] : [];
      }),
    ),
  );
}

function ordersOf<T>(members: readonly T[]): T[][] {
  if (members.length < 2) return [[...members]];
  return [...new Set(members)].flatMap((first) => {
    const index = members.indexOf(first);
    return ordersOf(members.toSpliced(index, 1)).map((rest) => [first, ...rest]);
  });
}

/**
 * Plans which requests run at the same time: every pair in every order, with every kind of lock that makes the requests
 * wait. Pairs that write users also run with an identity provider that gets changes of rights. Groups of three requests
 * also run in every order, and each order has another kind of lock.
 */
export function planOf(all: readonly Measured[]): Plan {
  const pairs = pairsOf(all);
  const triples = triplesOf(all);
  const ofPairs = pairs.flatMap((pair) =>
    ordersOf(pair).flatMap((members) =>
      HOLDS.flatMap((hold) => modesOf(members).map((isManaged) => ({ members, hold, isManaged }))),
    ),
  );
  const ofTriples = triples.flatMap((triple, index) =>
    ordersOf(triple).map((members, order) => {
      const modes = modesOf(members);
      const isManaged = modes[Math.floor(index / HOLDS.length) % modes.length] ?? false;
      return { members, hold: holdOf(index + order), isManaged };
    }),
  );
  return { pairs: pairs.length, triples: triples.length, races: [...ofPairs, ...ofTriples] };
}

/** Returns whether the requests run with an identity provider that gets changes of rights, without one, or both. */
function modesOf(members: readonly Measured[]): readonly boolean[] {
  if (members.some(({ operation }) => operation.delivery !== undefined)) return [true];
  return members.some(({ tables }) => tables.includes('users')) ? [false, true] : [false];
}

function holdOf(turn: number): Hold {
  return HOLDS[turn % HOLDS.length] ?? 'row';
}
