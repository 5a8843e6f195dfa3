import type { Logger } from 'pino';
import type { ProviderClock } from '../identity/provider-clock.ts';
import { runPeriodically } from '../periodic-task.ts';
import type { Database } from './database.ts';
import { CLOCK_COMPARISON_PAUSE_MS, CLOCK_DIFFERENCE_WARNING_MS, CLOCK_PROOF_PAUSE_MS } from '../limits.ts';

export type ClockWatch = ReturnType<typeof watchClocks>;

type ClockName = 'provider' | 'service';

/** Compares the clocks of the service, the identity provider and Postgres each minute. */
export function watchClocks(
  clock: ProviderClock,
  database: Pick<Database, 'callAsLogin'>,
  log: Logger,
  now = Date.now,
) {
  const aheadMsByClock: Record<ClockName, number | undefined> = { provider: undefined, service: undefined };
  const isSkewed = { provider: false, service: false };
  const abortController = new AbortController();
  let isProviderClockReset = false;
  let hasLastComparisonWorked = true;
  let provenProviderSkew: { readonly ms: number; readonly until: number } | undefined;
  let proofRecordingPromise: Promise<void> | undefined;

  async function recordProviderClock(aheadMs: number | null): Promise<void> {
    const clockRecordingSql = 'select app.note_provider_clock(pg_catalog.make_interval(secs => $1))';
    await database.callAsLogin({
      text: clockRecordingSql,
      values: [aheadMs === null ? null : aheadMs / 1_000],
    });
  }

  /** The smallest and the largest possible difference, in ms, between Postgres's clock and `performance.now()`. */
  async function readPostgresClock(): Promise<{ readonly minMs: number; readonly maxMs: number }> {
    const requestStartMs = performance.now();
    const clockQuery = 'select extract(epoch from pg_catalog.clock_timestamp()) * 1000';
    const { rows } = await database.callAsLogin({ text: clockQuery, values: [] });
    const postgresTimeMs = Number(rows[0]?.[0]);
    return { minMs: postgresTimeMs - performance.now(), maxMs: postgresTimeMs - requestStartMs };
  }

  function reportSkew(clock: ClockName, ms: number): void {
    aheadMsByClock[clock] = ms;
    if (isSkewed[clock] === Math.abs(ms) > CLOCK_DIFFERENCE_WARNING_MS) return;
    isSkewed[clock] = !isSkewed[clock];
    const skewLogFields = { clock, seconds: Math.round(ms / 100) / 10 };
    if (isSkewed[clock])
      log.warn(skewLogFields, 'a clock differs from that of Postgres: a change of rights relies on both');
    else log.info(skewLogFields, 'a clock agrees with that of Postgres again');
  }

  async function measureClocks(): Promise<void> {
    // Tells the database that the identity provider's clock is unknown until this process has measured it.
    if (!isProviderClockReset) await recordProviderClock(null);
    isProviderClockReset = true;
    const postgresClockOffsetRange = await readPostgresClock();
    reportSkew(
      'service',
      now() - performance.now() - (postgresClockOffsetRange.minMs + postgresClockOffsetRange.maxMs) / 2,
    );
    const providerClockOffsetRange = await clock.read(abortController.signal);
    await recordProviderClock(providerClockOffsetRange.maxMs - postgresClockOffsetRange.minMs);
    const providerAheadMs =
      (providerClockOffsetRange.minMs +
        providerClockOffsetRange.maxMs -
        postgresClockOffsetRange.minMs -
        postgresClockOffsetRange.maxMs) /
      2;
    reportSkew('provider', isSkewProven() ? largerSkew(providerAheadMs, provenProviderSkew?.ms) : providerAheadMs);
  }

  async function compareClocks(): Promise<void> {
    try {
      await measureClocks();
      if (!hasLastComparisonWorked) log.info('the clocks are compared again');
      hasLastComparisonWorked = true;
    } catch (err) {
      [aheadMsByClock.provider, aheadMsByClock.service] = [undefined, undefined];
      if (hasLastComparisonWorked && !abortController.signal.aborted)
        log.warn(
          { err },
          'the clocks cannot be compared: after a change of rights, new tokens may wait for two minutes',
        );
      hasLastComparisonWorked = false;
    }
  }

  const isSkewProven = (): boolean => provenProviderSkew !== undefined && performance.now() < provenProviderSkew.until;

  async function recordSkewProof(seconds: number): Promise<void> {
    const skewProofRecordingSql = 'select app.disprove_provider_clock(to_timestamp($1))';
    const { rows } = await database.callAsLogin({ text: skewProofRecordingSql, values: [seconds] });
    const [aheadSeconds] = rows[0] ?? [];
    if (aheadSeconds == null) return;
    provenProviderSkew = {
      ms: Number(aheadSeconds) * 1_000,
      until: performance.now() + CLOCK_PROOF_PAUSE_MS,
    };
    log.warn(
      { seconds: Math.round(Number(aheadSeconds)) },
      'a token was issued after the time in the identity provider’s responses: its clock counts as unknown',
    );
    reportSkew('provider', largerSkew(provenProviderSkew.ms, aheadMsByClock.provider));
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
    figures: (): Readonly<Record<ClockName, number | undefined>> => aheadMsByClock,
    /** A token that was issued in the future proves that the identity provider's clock was misread. */
    onTokenIssued: (seconds: number): void => {
      const latestPossibleTimeMs = clock.latestTime();
      if (latestPossibleTimeMs === undefined || seconds * 1_000 <= latestPossibleTimeMs + 1_000) return;
      if (proofRecordingPromise !== undefined || isSkewProven()) return;
      proofRecordingPromise = recordSkewProof(seconds)
        .catch((err: unknown) => {
          log.warn({ err }, 'the clock difference that a token proves could not be stored');
        })
        .finally(() => {
          proofRecordingPromise = undefined;
        });
    },
  };
}

function largerSkew(one: number, other = 0): number {
  return Math.abs(other) > Math.abs(one) ? other : one;
}
