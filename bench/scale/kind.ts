import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { withAdmin } from '../../test/support/database.ts';
import { backendsOf, processorTime } from '../processor-time.ts';
import type { Kind } from './kinds.ts';

/** The cost of one request of a certain kind, for example of a read of a claim. */
export interface Figures {
  /** Microseconds of processor time of the service’s process for one request, all threads together. */
  readonly node: number;
  /** Microseconds of processor time of the Postgres backends of the service’s login for one request. */
  readonly postgres: number;
  readonly walBytes: number;
  readonly auditRecords: number;
  readonly transactionIds: number;
}

export interface Measured {
  readonly origin: string;
  readonly pid: number;
  readonly adminUrl: string;
  readonly login: string;
}

const REQUESTS = 1_000;
const AT_ONCE = 10;
/**
 * Milliseconds to wait after the last response, so that the measurement includes work that the service does after a
 * response, for example when it writes refusal records or deletes document contents.
 */
const AFTERWARDS_MS = 300;

let calls = 0;

export async function measureKind(kind: Kind, { origin, pid, adminUrl, login }: Measured): Promise<Figures> {
  return withAdmin(adminUrl, async (admin) => {
    const backends = await backendsOf(admin, login);
    // A checkpoint before the measurement makes Postgres write full pages to the WAL, so the measurement shows the
    // worst case.
    await admin.query('checkpoint');
    const before = await state(admin);
    const [node, postgres] = [processorTime([pid]), processorTime(backends)];
    const senders = Array.from({ length: AT_ONCE }, async () => {
      for (let sent = 0; sent < REQUESTS / AT_ONCE; sent += 1) await send(origin, kind);
    });
    await Promise.all(senders);
    await delay(AFTERWARDS_MS);
    const each = (total: number): number => total / REQUESTS;
    const spent = { node: processorTime([pid]) - node, postgres: processorTime(backends) - postgres };
    const after = await state(admin);
    return {
      node: each(spent.node * 1_000),
      postgres: each(spent.postgres * 1_000),
      walBytes: each(after.wal - before.wal),
      auditRecords: each(after.records - before.records),
      transactionIds: each(after.xids - before.xids),
    };
  });
}

/** @throws Error if the response has another status than expected, because the cost of another response says nothing */
export async function send(origin: string, { name, method, path, token, body, expected }: Kind): Promise<string> {
  const content = body?.((calls += 1));
  const response = await fetch(origin + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(typeof content === 'string' && { 'content-type': 'application/json' }),
    },
    ...(content !== undefined && { body: content }),
  });
  const text = await response.text();
  if (response.status !== expected) throw new Error(`${name}: ${response.status} ${text}`);
  return text;
}

async function state(admin: Client): Promise<{ wal: number; records: number; xids: number }> {
  const { rows } = await admin.query<{ wal: string; records: string; xids: string }>(
    `select pg_current_wal_insert_lsn() - '0/0' as wal, pg_snapshot_xmax(pg_current_snapshot()) as xids,
            (select count(*) from public.audit_logs) as records`,
  );
  return { wal: Number(rows[0]?.wal), records: Number(rows[0]?.records), xids: Number(rows[0]?.xids) };
}
