import type { Logger } from 'pino';
import type { ProviderClock } from '../identity/provider-clock.ts';
import { regularly } from '../regularly.ts';
import type { Database } from './database.ts';
import { CLOCKS_MS, CLOCK_OFF_MS, CLOCK_PROVEN_MS } from '../limits.ts';

export type Clocks = ReturnType<typeof watchClocks>;

type Clock = 'provider' | 'service';

/** Compares the clocks of the service, the identity provider and Postgres each minute. */
export function watchClocks(
  clock: ProviderClock,
  database: Pick<Database, 'callAsLogin'>,
  log: Logger,
  now = Date.now,
) {
  const ahead: Record<Clock, number | undefined> = { provider: undefined, service: undefined };
  const isOff = { provider: false, service: false };
  const ending = new AbortController();
  let isBegun = false;
  let isCompared = true;
  let proof: { readonly ms: number; readonly until: number } | undefined;
  let proving: Promise<void> | undefined;

  async function recordProvider(aheadMs: number | null): Promise<void> {
    const text = 'select app.note_provider_clock(pg_catalog.make_interval(secs => $1))';
    await database.callAsLogin({ text, values: [aheadMs === null ? null : aheadMs / 1_000] });
  }

  /** The least and the most, in ms, by which Postgres's clock is ahead of `performance.now()`. */
  async function readDatabase(): Promise<{ readonly least: number; readonly most: number }> {
    const sent = performance.now();
    const text = 'select extract(epoch from pg_catalog.clock_timestamp()) * 1000';
    const { rows } = await database.callAsLogin({ text, values: [] });
    const shown = Number(rows[0]?.[0]);
    return { least: shown - performance.now(), most: shown - sent };
  }

  function report(clock: Clock, ms: number): void {
    ahead[clock] = ms;
    if (isOff[clock] === Math.abs(ms) > CLOCK_OFF_MS) return;
    isOff[clock] = !isOff[clock];
    const figures = { clock, seconds: Math.round(ms / 100) / 10 };
    if (isOff[clock])
      log.warn(figures, 'a clock differs from that of Postgres: a change of rights relies on both');
    else log.info(figures, 'a clock agrees with that of Postgres again');
  }

  async function measure(): Promise<void> {
    // Until this process has measured, the provider's clock counts as unknown in the database.
    if (!isBegun) await recordProvider(null);
    isBegun = true;
    const postgres = await readDatabase();
    report('service', now() - performance.now() - (postgres.least + postgres.most) / 2);
    const provider = await clock.read(ending.signal);
    await recordProvider(provider.most - postgres.least);
    const measured = (provider.least + provider.most - postgres.least - postgres.most) / 2;
    report('provider', isProven() ? larger(measured, proof?.ms) : measured);
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
    const [aheadSeconds] = rows[0] ?? [];
    if (aheadSeconds == null) return;
    proof = { ms: Number(aheadSeconds) * 1_000, until: performance.now() + CLOCK_PROVEN_MS };
    log.warn(
      { seconds: Math.round(Number(aheadSeconds)) },
      'a token is from the future by the clock with which the identity provider answers: its clock counts as unknown',
    );
    report('provider', larger(proof.ms, ahead.provider));
  }

  const comparing = regularly(compare, 'the clocks could not be compared', log, CLOCKS_MS);
  return {
    ...comparing,
    async close(): Promise<void> {
      ending.abort();
      await comparing.close();
    },
    figures: (): Readonly<Record<Clock, number | undefined>> => ahead,
    /** A verified token's time of issue, in seconds since the epoch, may prove the provider's clock wrong. */
    issued: (seconds: number): void => {
      const latest = clock.latest();
      if (latest === undefined || seconds * 1_000 <= latest + 1_000) return;
      if (proving !== undefined || isProven()) return;
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

function larger(one: number, other = 0): number {
  return Math.abs(other) > Math.abs(one) ? other : one;
}
