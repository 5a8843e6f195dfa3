import type { Logger } from 'pino';
import { within } from '../../within.ts';
import type { Database } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { positionOf } from './log-position.ts';

/** How far the primary was at a moment. */
export interface Sample {
  readonly at: number;
  readonly position: bigint;
}

/** What of the primary the replicas are held against. */
export interface Primary {
  readonly epoch: string;
  /** The oldest first. */
  readonly samples: readonly Sample[];
}

/** Why a replica is not read from. */
type Objection =
  | 'not looked at yet'
  | 'unreachable'
  | 'no replica: it was promoted'
  | 'of another history'
  | 'lagging';

/** Further behind, it is left out. */
export const LONGEST_LAG_MS = 10_000;
/** How long it may take to say how far it is. */
const LOOK_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;

export interface ReplicaOptions {
  readonly name: string;
  readonly database: Database;
  readonly lane: Database;
  readonly longestLagMs: number;
  readonly log: Logger;
}

/** One standby: how far it is, and whether it is read from. */
export class Replica {
  readonly name: string;
  /** For requests. */
  readonly database: Database;
  /** On a connection that no request has. */
  readonly #lane: Database;
  readonly #longestLagMs: number;
  readonly #log: Logger;
  #epoch: string | undefined;
  #replayed = 0n;
  /** When the primary was as far as the replica is now. */
  #caughtUpAt: number | undefined;
  #objection: Objection | undefined = 'not looked at yet';
  #period = new AbortController();
  #failures = 0;
  #notBefore = 0;
  #looking: Promise<void> | undefined;

  constructor({ name, database, lane, longestLagMs, log }: ReplicaOptions) {
    this.name = name;
    this.database = database;
    this.#lane = lane;
    this.#longestLagMs = longestLagMs;
    this.#log = log.child({ replica: name });
  }

  get isRead(): boolean {
    return this.#objection === undefined;
  }

  /** By how much it is behind, as far as is known. */
  lagSeconds(now: number): number {
    return this.#caughtUpAt === undefined ? NaN : Math.max(0, now - this.#caughtUpAt) / 1_000;
  }

  /** Looks how far it is, unless it was not reachable a moment ago. */
  async look(primary: Primary): Promise<void> {
    if (performance.now() < this.#notBefore) return;
    await (this.#looking ??= this.#ask(primary).finally(() => {
      this.#looking = undefined;
    }));
  }

  /** What it answers, unless it is left out meanwhile: nobody waits for one that has gone mute. */
  async whileRead<T>(answer: Promise<T>): Promise<T> {
    const { signal } = this.#period;
    const { promise: leftOut, reject } = Promise.withResolvers<never>();
    const leave = (): void => {
      reject(new DatabaseUnavailable('The replica is left out.'));
    };
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    try {
      return await Promise.race([answer, leftOut]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  async #ask(primary: Primary): Promise<void> {
    const { epoch, samples } = primary;
    if (epoch !== this.#epoch) {
      // What it was held against was another primary.
      this.#epoch = epoch;
      this.#caughtUpAt = undefined;
      this.#replayed = 0n;
    }
    const late = (): Error => new DatabaseUnavailable('The replica did not say in time how far it is.');
    const statement = {
      text: 'select in_recovery, has_epoch, replayed from app.replica_position($1)',
      values: [epoch],
    };
    try {
      const { rows } = await within(LOOK_MS, this.#lane.callAsLogin(statement), late);
      const [inRecovery, hasEpoch, replayed] = rows[0] ?? [];
      this.#failures = 0;
      this.#replayed = positionOf(replayed ?? '0/0');
      if (hasEpoch === 't') this.#compare(samples);
      if (inRecovery !== 't') this.#judge('no replica: it was promoted');
      else if (hasEpoch !== 't') this.#judge('of another history');
      else this.#judge(this.#isLagging() ? 'lagging' : undefined);
    } catch (error) {
      this.#failures += 1;
      this.#notBefore = performance.now() + Math.min(2 ** this.#failures * 250, LONGEST_PAUSE_MS);
      this.#judge('unreachable', error);
    }
  }

  #compare(samples: readonly Sample[]): void {
    const last = samples.at(-1);
    if (last !== undefined && last.position <= this.#replayed) this.#caughtUpAt = performance.now();
    else
      this.#caughtUpAt =
        samples.findLast(({ position }) => position <= this.#replayed)?.at ?? this.#caughtUpAt;
  }

  #isLagging(): boolean {
    return this.#caughtUpAt === undefined || performance.now() - this.#caughtUpAt > this.#longestLagMs;
  }

  #judge(objection: Objection | undefined, cause?: unknown): void {
    const before = this.#objection;
    this.#objection = objection;
    if (before === objection) return;
    if (objection === undefined) {
      this.#period = new AbortController();
      this.#log.info('a replica is read from');
      return;
    }
    this.#period.abort();
    this.#log.warn({ reason: objection, err: cause }, 'a replica is left out');
  }
}
