import type { Lane } from './lane.ts';
import type { Measured } from './measure.ts';
import { idIn } from './measure.ts';
import type { RaceTenant } from './people.ts';
import { STOP_WRITING, stopAtBeginning } from './witness.ts';

/**
 * The locks with which the superuser makes simultaneous requests wait:
 * - row: a lock of the rows that all requests write, or else of all rows that one request writes.
 * - table: a lock of the tables that all requests write, as a deploy takes it.
 * - audit: a lock of the audit log, so that each request waits after its write and before its commit.
 * - write: a lock at which the first request waits before its first write, while the other requests overtake it.
 * - begin: a lock at which each transaction of the first request’s caller waits after its beginning.
 */
export const HOLDS = ['row', 'table', 'audit', 'write', 'begin'] as const;

export type Hold = (typeof HOLDS)[number];

const inAll = <T>(lists: readonly (readonly T[])[]): readonly T[] =>
  (lists[0] ?? []).filter((one) => lists.every((list) => list.includes(one)));

/** Returns the tables that all requests of a race write. */
export function sharedTables(members: readonly Measured[]): readonly string[] {
  return inAll(members.map(({ tables }) => tables));
}

/** Returns the SQL with which the superuser’s transaction takes the lock that makes a race’s requests wait. */
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
