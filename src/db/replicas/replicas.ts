import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { Admission, RequestContext } from '../request-settings.ts';
import { positionOf } from './log-position.ts';
import type { Primary, Replica, Sample } from './replica.ts';

/*
 * Requests that only read are answered by a standby that has replayed what their caller wrote; the primary judges the
 * caller each time. docs/decisions/replicas.md has the reasons.
 */

/** Where requests that only read were answered, and why there. */
export type Outcome = 'replica' | 'no replica' | 'behind' | 'refused by a replica';

export interface Replicas {
  /** The database, with replicas to read from. */
  readonly database: Database;
  /** How often each was so since the start. */
  readonly outcomes: ReadonlyMap<Outcome, number>;
  readonly standings: () => readonly Standing[];
  /** Looks no more, and closes what was opened for it. */
  close(withinMs?: number): Promise<void>;
}

export interface Standing {
  readonly name: string;
  readonly isRead: boolean;
  /** NaN where it is not known. */
  readonly lagSeconds: number;
}

interface Options {
  /** For requests. */
  readonly primary: Database;
  /** The same on a connection that no request has. */
  readonly lane: Database;
  readonly replicas: readonly Replica[];
}

const ROUND_MS = 1_000;
/** More than a replica may lag: whoever is further behind is left out anyway. */
const SAMPLES = 60;

/** Begins to look how far the replicas are; none is read from before. */
export function readFrom({ primary, lane, replicas }: Options): Replicas {
  const outcomes = new Map<Outcome, number>();
  const count = (outcome: Outcome): void => {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  };
  const ending = new AbortController();
  let known: Primary | undefined;
  /** Asked anew after each wait, as it may be another by then. */
  const latest = (): Primary | undefined => known;

  const round = async (): Promise<void> => {
    known = await present(lane, known);
    const held = known;
    if (held !== undefined) await Promise.all(replicas.map((replica) => replica.look(held)));
  };
  const watch = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await round();
      await delay(ROUND_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  const watching = watch();

  async function readerFor(context: RequestContext): Promise<Database | undefined> {
    const replica = chosen(replicas, context.caller.subject);
    if (replica === undefined || known === undefined) {
      count('no replica');
      return undefined;
    }
    const admission = await admit(primary, context);
    const held = latest();
    if (
      admission === undefined ||
      held === undefined ||
      !(await replica.hasReplayed(positionOf(admission.wroteUntil), held))
    ) {
      count('behind');
      return undefined;
    }
    return reader(replica, admission);
  }

  function reader(replica: Replica, admission: Admission): Database {
    let isCounted = false;
    const on = async <T>(answer: Promise<T>): Promise<T> => {
      try {
        const answered = await replica.whileRead(answer);
        if (!isCounted) count('replica');
        isCounted = true;
        return answered;
      } catch (error) {
        count('refused by a replica');
        if (error instanceof DatabaseUnavailable && known !== undefined) void replica.look(known);
        throw error;
      }
    };
    const { database } = replica;
    return {
      ...primary,
      run: (context, statements) => on(database.run({ ...context, admission }, statements)),
      walk: (context, statement) => on(database.walk({ ...context, admission }, statement)),
    };
  }

  return {
    database: { ...primary, readerFor },
    outcomes,
    standings: () =>
      replicas.map((replica) => ({
        name: replica.name,
        isRead: replica.isRead,
        lagSeconds: replica.lagSeconds(performance.now()),
      })),
    async close() {
      ending.abort();
      await watching;
    },
  };
}

/** Where the primary is now; undefined where it cannot be asked, or takes no writes itself. */
async function present(lane: Database, before: Primary | undefined): Promise<Primary | undefined> {
  try {
    const { rows } = await lane.callAsLogin({
      text: 'select epoch, flushed from app.primary_position()',
      values: [],
    });
    const [epoch, flushed] = rows[0] ?? [];
    if (epoch == null || flushed == null) return undefined;
    const sample: Sample = { at: performance.now(), position: positionOf(flushed) };
    const samples = before?.epoch === epoch ? before.samples : [];
    return { epoch, samples: [...samples.slice(1 - SAMPLES), sample] };
  } catch {
    // Whoever asks the database is told; without a primary to be held against no replica is read from.
    return undefined;
  }
}

/** What the primary says of the caller; undefined where it has just become the primary. */
async function admit(primary: Database, { caller }: RequestContext): Promise<Admission | undefined> {
  const { subject, issuedAt, accessDigest, userId } = caller;
  const { rows } = await primary.callAsLogin({
    text: 'select user_id, epoch, wrote_until from app.admit($1, to_timestamp($2), $3, $4)',
    values: [subject, issuedAt, accessDigest, userId],
  });
  const [id, epoch, wroteUntil] = rows[0] ?? [];
  if (id == null || epoch == null || wroteUntil == null) return undefined;
  return { userId: id, epoch, wroteUntil };
}

/** The same one for the same caller, from whatever instance, as long as it is read from: time does not run backwards. */
function chosen(replicas: readonly Replica[], subject: string): Replica | undefined {
  let best: { replica: Replica; weight: string } | undefined;
  for (const replica of replicas) {
    if (!replica.isRead) continue;
    const weight = hash('sha256', `${replica.name} ${subject}`, 'hex');
    if (best === undefined || weight > best.weight) best = { replica, weight };
  }
  return best?.replica;
}
