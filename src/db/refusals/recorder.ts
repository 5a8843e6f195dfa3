import { randomUUID } from 'node:crypto';
import type { DatabaseLogin } from '../database.ts';
import { sqlState } from '../errors.ts';
import { REFUSAL_CLOCK_READING_MAX_MS } from '../../limits.ts';
import { dateRefusal, type DatedRefusal, type Refusal } from './refusal.ts';

export type RefusalRecorder = ReturnType<typeof createRefusalRecorder>;

/**
 * SQLSTATE classes of errors that the values of a single record cause; after any other error all records wait for the
 * next attempt.
 */
const VALUE_ERROR_SQLSTATE_CLASSES: readonly unknown[] = ['22', '23', '54', 'P0'];

export function createRefusalRecorder(database: DatabaseLogin) {
  const processId = randomUUID();
  /** The database's clock and `performance.now()` at the same moment, to convert one into the other. */
  let clock: { readonly databaseMs: number; readonly monotonicMs: number } | undefined;

  /** Stores all refusals in one statement, or none; does not change a refusal that is already stored. */
  async function record(refusals: readonly DatedRefusal[]): Promise<void> {
    const startMs = performance.now();
    const { rows } = await database.callAsLogin({
      text: 'select extract(epoch from app.record_refusals($1)) * 1000',
      values: [JSON.stringify(refusals.map((refusal) => buildAuditRow(refusal, timeOf(refusal))))],
    });
    const monotonicMs = performance.now();
    if (clock !== undefined && monotonicMs - startMs > REFUSAL_CLOCK_READING_MAX_MS) return;
    clock = { databaseMs: Number(rows[0]?.[0]), monotonicMs };
  }

  /**
   * Returns when a refusal happened: its age, its time by the database's clock, or both. If another process refused the
   * request, the age is by the machine's clock, because `performance.now()` differs between processes.
   */
  function timeOf({ run: refusedBy, monotonicMs, databaseMs, machineMs }: DatedRefusal) {
    if (refusedBy === processId) return { age_ms: performance.now() - monotonicMs, refused_at_ms: databaseMs };
    return databaseMs === null ? { age_ms: Date.now() - machineMs } : { refused_at_ms: databaseMs };
  }

  /**
   * Stores every record that the database accepts, and returns the records that the database rejects because of
   * their values.
   */
  async function recordEach(refusals: readonly DatedRefusal[]): Promise<readonly DatedRefusal[]> {
    try {
      await record(refusals);
      return [];
    } catch (error) {
      if (!VALUE_ERROR_SQLSTATE_CLASSES.includes(sqlState(error)?.slice(0, 2))) throw error;
      if (refusals.length === 1) return refusals;
      const middle = Math.ceil(refusals.length / 2);
      return [...(await recordEach(refusals.slice(0, middle))), ...(await recordEach(refusals.slice(middle)))];
    }
  }

  return {
    date: (refusal: Refusal): DatedRefusal => {
      const monotonicMs = performance.now();
      const databaseMs = clock === undefined ? null : clock.databaseMs + monotonicMs - clock.monotonicMs;
      return dateRefusal(refusal, { run: processId, monotonicMs, machineMs: Date.now(), databaseMs });
    },
    record,
    recordEach,
  };
}

function buildAuditRow(refusal: DatedRefusal, time: object): object {
  return {
    id: refusal.id,
    request_id: refusal.requestId,
    actor: refusal.actor,
    action: refusal.action,
    resource_type: refusal.resourceType,
    resource_id: refusal.resourceId,
    client_context: refusal.clientContext,
    error_message: refusal.reason,
    ip_address: refusal.ipAddress,
    user_agent: refusal.userAgent,
    ...time,
  };
}
