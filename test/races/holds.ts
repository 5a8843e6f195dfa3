import type { Lane } from './lane.ts';
import type { Measured } from './measure.ts';
import { idIn } from './measure.ts';
import type { RaceTenant } from './people.ts';
import { STOP_WRITING, stopAtBeginning } from './witness.ts';

/**
 * A test sends several requests at the same time, and makes them wait for a lock that the superuser holds:
 * - row: a lock on the rows that all requests write. If there are none, on all rows that any of the requests writes.
 * - table: a lock on the tables that all requests write, like the lock that a deploy takes.
 * - audit: a lock on the audit log. Each request waits for it after its write and before its commit.
 * - write: the request that was sent first waits before its first write, while the other requests overtake it.
 * - begin: each transaction of the user who sent the first request waits after its beginning.
 */
export const HOLDS = ['row', 'table', 'audit', 'write', 'begin'] as const;

export type Hold = (typeof HOLDS)[number];

const inAll = <T>(lists: readonly (readonly T[])[]): readonly T[] =>
  (lists[0] ?? []).filter((one) => lists.every((list) => list.includes(one)));

export function sharedTables(members: readonly Measured[]): readonly string[] {
  return inAll(members.map(({ tables }) => tables));
}

/** Returns SQL by which the superuser takes a lock, so that the simultaneous requests wait until it is released. */
export function holdSql(hold: Hold, members: readonly Measured[], tenant: RaceTenant, keys: Lane['keys']): string {
  switch (hold) {
    case 'row':
      return rowsSql(members, tenant, keys);
    case 'table':
      return `lock table ${sharedTables(members)
        .map((table) => `public.${table}`)
        .join()} in access exclusive mode`;
    case 'audit':
      return 'lock table public.audit_logs in access exclusive mode';
    case 'write':
      return STOP_WRITING;
    case 'begin':
      return stopAtBeginning(members[0]?.operation.claims(tenant).sub ?? '');
  }
}

function rowsSql(members: readonly Measured[], tenant: RaceTenant, keys: Lane['keys']): string {
  const lists = members.map(({ rows }) => rows);
  const common = inAll(lists);
  const rows = common.length > 0 ? common : [...new Set([...lists.flat(), 'clients:clients'])];
  return rows
    .map((row) => {
      const [table = '', kinds = ''] = row.split(':');
      const values = kinds.split('/').map((kind) => idIn(tenant, kind));
      const where = (keys.get(table) ?? []).map((column, index) => `${column} = '${values[index] ?? ''}'`);
      return `select from public.${table} where ${where.join(' and ')} for update`;
    })
    .join(';');
}
