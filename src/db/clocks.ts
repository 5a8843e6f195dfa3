import type { Logger } from 'pino';
import type { ProviderClock } from '../identity/provider-clock.ts';
import { runPeriodically } from '../periodic-task.ts';
import { readAsLogin, type DatabaseLogin } from './database.ts';
import { CLOCK_COMPARISON_PAUSE_MS, CLOCK_DIFFERENCE_WARNING_MS, CLOCK_PROOF_PAUSE_MS } from '../limits.ts';

export type ClockWatch = ReturnType<typeof watchClocks>;

type ClockName = 'provider' | 'service';

/** Compares the clocks of the service, the identity provider and Postgres each minute. */
export function watchClocks(clock: ProviderClock, database: DatabaseLogin, log: Logger, now = Date.now) {
  const aheadMs: Record<ClockName, number | undefined> = { provider: undefined, service: undefined };
  const isSkewed = { provider: false, service: false };
  const abort = new AbortController();
  let isReset = false;
  let hasWorked = true;
  let proven: { readonly ms: number; readonly until: number } | undefined;
  let recording: Promise<void> | undefined;

  function reportSkew(clock: ClockName, ms: number): void {
    aheadMs[clock] = ms;
    if (isSkewed[clock] === Math.abs(ms) > CLOCK_DIFFERENCE_WARNING_MS) return;
    isSkewed[clock] = !isSkewed[clock];
    const fields = { clock, seconds: Math.round(ms / 100) / 10 };
    if (isSkewed[clock]) log.warn(fields, 'a clock differs from that of Postgres: a change of rights relies on both');
    else log.info(fields, 'a clock agrees with that of Postgres again');
  }

  async function measureClocks(): Promise<void> {
    // Tells the database that the identity provider's clock is unknown until this process has measured it.
    if (!isReset) await recordProviderClock(database, null);
    isReset = true;
    const postgres = await readPostgresClock(database);
    reportSkew('service', now() - performance.now() - (postgres.minMs + postgres.maxMs) / 2);
    const provider = await clock.read(abort.signal);
    await recordProviderClock(database, provider.maxMs - postgres.minMs);
    const providerMs = (provider.minMs + provider.maxMs - postgres.minMs - postgres.maxMs) / 2;
    reportSkew('provider', isProven() ? largerSkew(providerMs, proven?.ms) : providerMs);
  }

  async function compareClocks(): Promise<void> {
    try {
      await measureClocks();
      if (!hasWorked) log.info('the clocks are compared again');
      hasWorked = true;
    } catch (err) {
      [aheadMs.provider, aheadMs.service] = [undefined, undefined];
      if (hasWorked && !abort.signal.aborted)
        log.warn(
          { err },
          'the clocks cannot be compared: after a change of rights, new tokens may wait for two minutes',
        );
      hasWorked = false;
    }
  }

  const isProven = (): boolean => proven !== undefined && performance.now() < proven.until;

  async function recordSkewProof(seconds: number): Promise<void> {
    const [row] = await readAsLogin(database, 'select app.disprove_provider_clock(to_timestamp($1))', seconds);
    const ahead = row?.[0];
    if (ahead == null) return;
    proven = { ms: Number(ahead) * 1_000, until: performance.now() + CLOCK_PROOF_PAUSE_MS };
    log.warn(
      { seconds: Math.round(Number(ahead)) },
      'a token was issued after the time in the identity provider’s responses: its clock counts as unknown',
    );
    reportSkew('provider', largerSkew(proven.ms, aheadMs.provider));
  }

  const task = runPeriodically(compareClocks, 'the clocks could not be compared', log, CLOCK_COMPARISON_PAUSE_MS);
  return {
    ...task,
    async close(): Promise<void> {
      abort.abort();
      await task.close();
    },
    figures: (): Readonly<Record<ClockName, number | undefined>> => aheadMs,
    /** A token that was issued in the future proves that the identity provider's clock was misread. */
    onTokenIssued: (seconds: number): void => {
      const latestMs = clock.latestTime();
      if (latestMs === undefined || seconds * 1_000 <= latestMs + 1_000) return;
      if (recording !== undefined || isProven()) return;
      recording = recordSkewProof(seconds)
        .catch((err: unknown) => {
          log.warn({ err }, 'the clock difference that a token proves could not be stored');
        })
        .finally(() => {
          recording = undefined;
        });
    },
  };
}

function largerSkew(one: number, other = 0): number {
  return Math.abs(other) > Math.abs(one) ? other : one;
}

async function recordProviderClock(database: DatabaseLogin, aheadMs: number | null): Promise<void> {
  await readAsLogin(
    database,
    'select app.note_provider_clock(pg_catalog.make_interval(secs => $1))',
    aheadMs === null ? null : aheadMs / 1_000,
  );
}

/** The smallest and the largest possible difference, in ms, between Postgres's clock and `performance.now()`. */
async function readPostgresClock(database: DatabaseLogin): Promise<{ readonly minMs: number; readonly maxMs: number }> {
  const startMs = performance.now();
  const [row] = await readAsLogin(database, 'select extract(epoch from pg_catalog.clock_timestamp()) * 1000');
  const timeMs = Number(row?.[0]);
  return { minMs: timeMs - performance.now(), maxMs: timeMs - startMs };
}
