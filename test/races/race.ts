import { join } from 'node:path';
import { exchange } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import { holdSql } from './holds.ts';
import type { Hold } from './holds.ts';
import type { Lane } from './lane.ts';
import type { Measured } from './measure.ts';
import type { RaceTenant } from './people.ts';
import { filesIn, until } from '../support/upload.ts';

/** Requests that run at the same time, in the order of sending, and the kind of lock for which they wait. */
export interface Race {
  readonly members: readonly Measured[];
  readonly hold: Hold;
  /** True if the service sends changes of users’ rights to an identity provider while the requests run. */
  readonly isManaged: boolean;
}

export interface Outcome extends Race {
  readonly tenant: RaceTenant;
  readonly exchanges: readonly Exchange[];
  /** When the superuser released the lock for which the requests waited, by the database’s clock. */
  readonly releasedAt: string;
}

/**
 * Sends requests that run at the same time: takes a lock, sends each request once the one before waits for the lock or
 * is answered, and releases the lock.
 */
export async function run(lane: Lane, { members, hold, isManaged }: Race): Promise<Outcome> {
  const tenant = await lane.tenant();
  const { holder, watcher, provider } = lane;
  await watcher.query(`update app.identity_management set managed_since = ${isManaged ? 'now()' : 'null'}`);
  for (const { operation } of members) {
    if (operation.delivery === 'claimed') await provider.claim([tenant.users, tenant.manager]);
  }
  await holder.query(`begin;${holdSql(hold, members, tenant, lane.keys)}`);
  const sent: Promise<Exchange>[] = [];
  const answered = { count: 0 };
  for (const { operation } of members) {
    const one = exchange(lane, operation, tenant, hold === 'write' && sent.length === 0);
    sent.push(one.finally(() => (answered.count += 1)));
    while ((await waiting(lane)) + answered.count < sent.length);
  }
  const { rows } = await holder.query<{ now: string }>('select clock_timestamp()::text as now');
  await holder.query('commit');
  const exchanges = await Promise.all(sent);
  await until(async () => !(await hasRefusalsOnDisk(lane)));
  return { members, hold, isManaged, tenant, exchanges, releasedAt: rows[0]?.now ?? '' };
}

/**
 * True while the service keeps a record of a refusal on disk, as it does if Postgres holds it up for more than a second.
 * The service moves the record to the audit log soon after Postgres answers again.
 */
async function hasRefusalsOnDisk({ service }: Lane): Promise<boolean> {
  const names = await filesIn(join(service.dataDir, 'refusals'));
  return names.some((name) => name.endsWith('.refusals'));
}

async function waiting({ watcher }: Lane): Promise<number> {
  const { rows } = await watcher.query<{ count: number }>({
    name: 'waiting',
    text: `
select count(*)::integer as count
from pg_stat_activity
where datname = current_database() and application_name like 'taxclaims-api%' and wait_event_type = 'Lock'`,
  });
  return rows[0]?.count ?? 0;
}
