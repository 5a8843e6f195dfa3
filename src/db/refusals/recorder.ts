import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { sqlState } from '../errors.ts';
import { REFUSALS_QUICK_MS } from '../../limits.ts';
import { keep } from './refusal.ts';
import type { KeptRefusal, Refusal } from './refusal.ts';

export type Recorder = ReturnType<typeof createRecorder>;

/**
 * The classes of what Postgres says of a value: a malformed one, a broken constraint, one too large for an index, and
 * what a trigger that somebody has added raises. Anything else would meet every record, and is waited out.
 */
const OF_A_VALUE: readonly unknown[] = ['22', '23', '54', 'P0'];

/** Writes refusals into the audit log, dated by the database's clock. */
export function createRecorder(database: Pick<Database, 'callAsLogin'>) {
  const run = randomUUID();
  /** What the database's clock showed when this process's own, which nobody sets, showed `monotonicMs`. */
  let known: { readonly databaseMs: number; readonly monotonicMs: number } | undefined;

  /** All of them in one statement, or none; those that are stored already are left as they are. */
  async function record(refusals: readonly KeptRefusal[]): Promise<void> {
    const askedMs = performance.now();
    const { rows } = await database.callAsLogin({
      text: 'select extract(epoch from app.record_refusals($1)) * 1000',
      values: [JSON.stringify(refusals.map((refusal) => recordOf(refusal, timeOf(refusal))))],
    });
    const monotonicMs = performance.now();
    if (known !== undefined && monotonicMs - askedMs > REFUSALS_QUICK_MS) return;
    known = { databaseMs: Number(rows[0]?.[0]), monotonicMs };
  }

  /**
   * How long ago it was, for the database to count back from its clock: never before what was done before; and when it
   * was by that clock as far as it is known, for a statement that is long on its way. Of another process's refusal only
   * clocks that somebody may have set can tell: the database's, as that process knew it, or else the machine's.
   */
  function timeOf({ run: refusedBy, monotonicMs, databaseMs, machineMs }: KeptRefusal): Time {
    if (refusedBy === run) return { age_ms: performance.now() - monotonicMs, refused_at_ms: databaseMs };
    return databaseMs === null ? { age_ms: Date.now() - machineMs } : { refused_at_ms: databaseMs };
  }

  /** The same, but one that the database refuses for what is in it does not keep out the others; gives those. */
  async function recordEach(refusals: readonly KeptRefusal[]): Promise<readonly KeptRefusal[]> {
    try {
      await record(refusals);
      return [];
    } catch (error) {
      if (!OF_A_VALUE.includes(sqlState(error)?.slice(0, 2))) throw error;
      if (refusals.length === 1) return refusals;
      const middle = Math.ceil(refusals.length / 2);
      const first = await recordEach(refusals.slice(0, middle));
      return [...first, ...(await recordEach(refusals.slice(middle)))];
    }
  }

  return {
    date: (refusal: Refusal): KeptRefusal => {
      const monotonicMs = performance.now();
      const databaseMs = known === undefined ? null : known.databaseMs + monotonicMs - known.monotonicMs;
      return keep(refusal, { run, monotonicMs, machineMs: Date.now(), databaseMs });
    },
    record,
    recordEach,
  };
}

type Time =
  | { readonly age_ms: number; readonly refused_at_ms?: number | null }
  | { readonly refused_at_ms: number };

function recordOf(refusal: KeptRefusal, time: Time): object {
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
