import type { Logger } from 'pino';
import type { ProviderClock } from '../identity/provider-clock.ts';
import { runPeriodically } from '../periodic-task.ts';
import type { Database } from './database.ts';
import { CLOCK_COMPARISON_PAUSE_MS, CLOCK_WARNING_MS, CLOCK_PROOF_PAUSE_MS } from '../limits.ts';

export type Clocks = ReturnType<typeof watchClocks>;

type Clock = 'provider' | 'service';

/** Compares the clocks of the service, the identity provider and Postgres each minute. */
export function watchClocks(
  clock: ProviderClock,
  database: Pick<Database, 'callAsLogin'>,
  log: Logger,
  now = Date.now,
) {
  const aheadMs: Record<Clock, number | undefined> = { provider: undefined, service: undefined };
  const isSkewed = { provider: false, service: false };
  const abortController = new AbortController();
  let hasStarted = false;
  let isComparing = true;
  let provenSkew: { readonly ms: number; readonly until: number } | undefined;
  let currentProof: Promise<void> | undefined;

  async function recordProviderClock(aheadMs: number | null): Promise<void> {
    const recordClockSql = 'select app.note_provider_clock(pg_catalog.make_interval(secs => $1))';
    await database.callAsLogin({ text: recordClockSql, values: [aheadMs === null ? null : aheadMs / 1_000] });
  }

  /** The smallest and the largest possible difference, in ms, between Postgres's clock and `performance.now()`. */
  async function readPostgresClock(): Promise<{ readonly minMs: number; readonly maxMs: number }> {
    const requestStartMs = performance.now();
    const readClockSql = 'select extract(epoch from pg_catalog.clock_timestamp()) * 1000';
    const { rows } = await database.callAsLogin({ text: readClockSql, values: [] });
    const postgresMs = Number(rows[0]?.[0]);
    return { minMs: postgresMs - performance.now(), maxMs: postgresMs - requestStartMs };
  }

  function reportSkew(clock: Clock, ms: number): void {
    aheadMs[clock] = ms;
    if (isSkewed[clock] === Math.abs(ms) > CLOCK_WARNING_MS) return;
    isSkewed[clock] = !isSkewed[clock];
    const skewLogFields = { clock, seconds: Math.round(ms / 100) / 10 };
    if (isSkewed[clock])
      log.warn(skewLogFields, 'a clock differs from that of Postgres: a change of rights relies on both');
    else log.info(skewLogFields, 'a clock agrees with that of Postgres again');
  }

  async function measureClocks(): Promise<void> {
    // Tells the database that the identity provider's clock is unknown until this process has measured it.
    if (!hasStarted) await recordProviderClock(null);
    hasStarted = true;
    const postgresReading = await readPostgresClock();
    reportSkew('service', now() - performance.now() - (postgresReading.minMs + postgresReading.maxMs) / 2);
    const providerReading = await clock.read(abortController.signal);
    await recordProviderClock(providerReading.maxMs - postgresReading.minMs);
    const providerAheadMs =
      (providerReading.minMs + providerReading.maxMs - postgresReading.minMs - postgresReading.maxMs) / 2;
    reportSkew('provider', isProven() ? largerSkew(providerAheadMs, provenSkew?.ms) : providerAheadMs);
  }

  async function compareClocks(): Promise<void> {
    try {
      await measureClocks();
      if (!isComparing) log.info('the clocks are compared again');
      isComparing = true;
    } catch (err) {
      [aheadMs.provider, aheadMs.service] = [undefined, undefined];
      if (isComparing && !abortController.signal.aborted)
        log.warn(
          { err },
          'the clocks cannot be compared: after a change of rights, new tokens may wait for two minutes',
        );
      isComparing = false;
    }
  }

  const isProven = (): boolean => provenSkew !== undefined && performance.now() < provenSkew.until;

  async function recordProof(seconds: number): Promise<void> {
    const recordProofSql = 'select app.disprove_provider_clock(to_timestamp($1))';
    const { rows } = await database.callAsLogin({ text: recordProofSql, values: [seconds] });
    const [aheadSeconds] = rows[0] ?? [];
    if (aheadSeconds == null) return;
    provenSkew = { ms: Number(aheadSeconds) * 1_000, until: performance.now() + CLOCK_PROOF_PAUSE_MS };
    log.warn(
      { seconds: Math.round(Number(aheadSeconds)) },
      'a token is from the future by the clock with which the identity provider answers: its clock counts as unknown',
    );
    reportSkew('provider', largerSkew(provenSkew.ms, aheadMs.provider));
  }

  const comparisonTask = runPeriodically(
    compareClocks,
    'the clocks could not be compared',
    log,
    CLOCK_COMPARISON_PAUSE_MS,
  );
  return {
    ...comparisonTask,
    async close(): Promise<void> {
      abortController.abort();
      await comparisonTask.close();
    },
    figures: (): Readonly<Record<Clock, number | undefined>> => aheadMs,
    /** A token that was issued in the future proves that the identity provider's clock was misread. */
    onTokenIssued: (seconds: number): void => {
      const latestTimeMs = clock.latestTime();
      if (latestTimeMs === undefined || seconds * 1_000 <= latestTimeMs + 1_000) return;
      if (currentProof !== undefined || isProven()) return;
      currentProof = recordProof(seconds)
        .catch((err: unknown) => {
          log.warn({ err }, 'what a token tells of the clocks could not be noted');
        })
        .finally(() => {
          currentProof = undefined;
        });
    },
  };
}

function largerSkew(one: number, other = 0): number {
  return Math.abs(other) > Math.abs(one) ? other : one;
}
