import type { Lane } from './lane.ts';
import { exchange } from './exchange.ts';
import type { Operation } from './operation.ts';
import type { RaceTenant } from './people.ts';

/** A request for a race, with the rows that the request writes when no other request runs. */
export interface Measured {
  readonly operation: Operation;
  readonly status: number;
  readonly tables: readonly string[];
  /**
   * The existing rows that the request of a race writes, each as a table and the key of the row’s id in RaceTenant, for
   * example `sites:annex`.
   */
  readonly rows: readonly string[];
  /**
   * The keys in RaceTenant of the ids in all rows that the request of a race writes, and `new` with the table of each
   * created row.
   */
  readonly touched: readonly string[];
  /** The key in RaceTenant of the id of the request’s caller; undefined if the database does not store the caller. */
  readonly caller: string | undefined;
}

/** Returns the id that a key such as `sites` has in a race’s tenant. A text that is no such key stays unchanged. */
export function idIn(tenant: RaceTenant, kind: string): string {
  return (tenant as Readonly<Record<string, string>>)[kind] ?? kind;
}

interface Write {
  readonly table: string;
  readonly id: string;
  /** The column values of a row that the request of a race created; null for an existing row. */
  readonly made: readonly string[] | null;
}

/**
 * Runs a request while no other request runs, and reads the rows that it wrote, including cascades, from the test’s log
 * of writes.
 */
export async function measure(lane: Lane, operation: Operation): Promise<Measured> {
  const tenant = await lane.tenant();
  const { answer } = await exchange(lane, operation, tenant);
  const { rows: writes } = await lane.watcher.query<Write>(
    `select
        table_name as table, row_id as id,
        case command when 'INSERT' then array(select value from jsonb_each_text(after)) end as made
     from races.writes
     where request_id = $1
     order by 1, 2`,
    [answer.headers['x-request-id']],
  );
  const kinds = new Map(Object.entries(tenant).map(([kind, id]) => [id, kind]));
  const also = operation.also ?? [];
  const rows = writes
    .filter(({ made }) => made === null)
    .map(({ table, id }) => `${table}:${id.replaceAll(/[^/]+/g, (part) => kinds.get(part) ?? part)}`)
    .concat(also);
  const named = writes.flatMap(({ table, made }) =>
    made === null ? [] : [`new ${table}`, ...made.flatMap((value) => kinds.get(value) ?? [])],
  );
  const ofRows = rows.flatMap((row) => row.replace(/.*:/, '').split('/'));
  return {
    operation,
    status: answer.status,
    tables: [...new Set([...writes.map(({ table }) => table), ...also.map((row) => row.replace(/:.*/, ''))])],
    rows: [...new Set(rows)],
    touched: [...new Set([...ofRows, ...named])],
    caller: kinds.get(operation.claims(tenant).sub.replace('idp|', '')),
  };
}
