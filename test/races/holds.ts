import type { Lane } from './lane.ts';
import type { Measured } from './measure.ts';
import { idIn } from './measure.ts';
import type { RaceTenant } from './people.ts';
import { STOP_WRITING, stopAtBeginning } from './witness.ts';

/**
 * What the superuser holds while requests line up.
 * - row: the rows that all of them write, or else all rows that any of them writes.
 * - table: the tables that all of them write, as a deploy does.
 * - audit: the audit log, so that each stops after its write, before its commit.
 * - write: the first request alone, as it begins to write, with what it has read by then; the others overtake it.
 * - begin: whoever sends the first request, once its transaction has begun; the others overtake it.
 */
export const HOLDS = ['row', 'table', 'audit', 'write', 'begin'] as const;

export type Hold = (typeof HOLDS)[number];

const each = <T>(lists: readonly (readonly T[])[]): readonly T[] =>
  (lists[0] ?? []).filter((one) => lists.every((list) => list.includes(one)));

/** The tables that all of them write. */
export function sharedTables(members: readonly Measured[]): readonly string[] {
  return each(members.map(({ tables }) => tables));
}

/** The statement that takes the lock, inside the holder's transaction. */
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
  const common = each(lists);
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
