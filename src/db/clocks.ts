import type { Logger } from 'pino';
import type { ProviderClock } from '../identity/provider-clock.ts';
import { regularly } from '../regularly.ts';
import type { Database } from './database.ts';
import { CLOCKS_MS, CLOCK_OFF_MS, CLOCK_PROVEN_MS } from '../limits.ts';

export type Clocks = ReturnType<typeof watchClocks>;

export interface ClocksOptions {
  readonly clock: ProviderClock;
  readonly database: Pick<Database, 'callAsLogin'>;
  readonly log: Logger;
  readonly now?: () => number;
}

type Clock = 'provider' | 'service';

/** Measures the clocks now and then each minute, beside requests; what follows from it is the database's to decide. */
export function watchClocks({ clock, database, log, now = Date.now }: ClocksOptions) {
  const ahead: Record<Clock, number | undefined> = { provider: undefined, service: undefined };
  const told = new Set<Clock>();
  const ending = new AbortController();
  let isBegun = false;
  let isCompared = true;
  let proof: { readonly ms: number; readonly until: number } | undefined;
  let proving: Promise<void> | undefined;

  async function note(most: number | null): Promise<void> {
    const text = 'select app.note_provider_clock(pg_catalog.make_interval(secs => $1))';
    await database.callAsLogin({ text, values: [most === null ? null : most / 1_000] });
  }

  /** Between which two numbers Postgres's clock is ahead of `performance.now()`. */
  async function readDatabase(): Promise<{ readonly least: number; readonly most: number }> {
    const sent = performance.now();
    const text = 'select extract(epoch from pg_catalog.clock_timestamp()) * 1000';
    const { rows } = await database.callAsLogin({ text, values: [] });
    const shown = Number(rows[0]?.[0]);
    return { least: shown - performance.now(), most: shown - sent };
  }

  function tell(name: Clock, ms: number): void {
    ahead[name] = ms;
    const isOff = Math.abs(ms) > CLOCK_OFF_MS;
    if (isOff === told.has(name)) return;
    const seconds = Math.round(ms / 100) / 10;
    if (isOff) {
      told.add(name);
      log.warn(
        { clock: name, seconds },
        'a clock differs from that of Postgres: a change of rights relies on both',
      );
    } else {
      told.delete(name);
      log.info({ clock: name, seconds }, 'a clock agrees with that of Postgres again');
    }
  }

  async function measure(): Promise<void> {
    // The database takes the provider's clock for unknown from now on, until it is measured.
    if (!isBegun) await note(null);
    isBegun = true;
    const here = await readDatabase();
    tell('service', now() - performance.now() - (here.least + here.most) / 2);
    const there = await clock.read(ending.signal);
    await note(there.most - here.least);
    const measured = (there.least + there.most - here.least - here.most) / 2;
    tell('provider', isProven() ? further(measured, proof?.ms) : measured);
  }

  async function compare(): Promise<void> {
    try {
      await measure();
      if (!isCompared) log.info('the clocks are compared again');
      isCompared = true;
    } catch (err) {
      [ahead.provider, ahead.service] = [undefined, undefined];
      if (isCompared && !ending.signal.aborted)
        log.warn(
          { err },
          'the clocks cannot be compared: after a change of rights, new tokens may wait for two minutes',
        );
      isCompared = false;
    }
  }

  const isProven = (): boolean => proof !== undefined && performance.now() < proof.until;

  async function prove(seconds: number): Promise<void> {
    const text = 'select app.disprove_provider_clock(to_timestamp($1))';
    const { rows } = await database.callAsLogin({ text, values: [seconds] });
    const [by] = rows[0] ?? [];
    if (by == null) return;
    proof = { ms: Number(by) * 1_000, until: performance.now() + CLOCK_PROVEN_MS };
    log.warn(
      { seconds: Math.round(Number(by)) },
      'a token is from the future by the clock with which the identity provider answers: its clock counts as unknown',
    );
    tell('provider', further(proof.ms, ahead.provider));
  }

  const comparing = regularly(compare, 'the clocks could not be compared', log, CLOCKS_MS);
  return {
    ...comparing,
    async close(): Promise<void> {
      ending.abort();
      await comparing.close();
    },
    /** By how many milliseconds each is ahead of Postgres's; undefined where that is not known. */
    figures: (): Readonly<Record<Clock, number | undefined>> => ahead,
    /** Told when each token says that it was issued, in seconds since the epoch, once its signature is verified. */
    issued: (seconds: number): void => {
      const latest = clock.latest();
      if (latest === undefined || seconds * 1_000 <= latest + 1_000 || proving !== undefined) return;
      if (isProven()) return;
      proving = prove(seconds)
        .catch((err: unknown) => {
          log.warn({ err }, 'what a token tells of the clocks could not be noted');
        })
        .finally(() => {
          proving = undefined;
        });
    },
  };
}

/** What shows more that something is wrong. */
function further(one: number, other = 0): number {
  return Math.abs(other) > Math.abs(one) ? other : one;
}
