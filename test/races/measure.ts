import type { Lane } from './lane.ts';
import { exchange } from './exchange.ts';
import type { Operation } from './operation.ts';
import type { RaceTenant } from './people.ts';

/** A request, with the rows that it writes if no other request runs at the same time. */
export interface Measured {
  readonly operation: Operation;
  readonly status: number;
  readonly tables: readonly string[];
  /**
   * The existing rows that the request writes, for example `sites:annex`: the table, and the name that the test gives
   * to the row’s id.
   */
  readonly rows: readonly string[];
  /**
   * The rows that the request writes, each by the name that the test gave to the row’s id. A row that the request creates
   * is listed as `new <table>`.
   */
  readonly touched: readonly string[];
  /**
   * The name that the test gives to the id of the request’s caller; undefined if the database does not store the
   * caller.
   */
  readonly caller: string | undefined;
}

/**
 * The test gives names such as `sites` to the ids of a tenant’s records. Returns the id with the given name, and any
 * other text unchanged.
 */
export function idIn(tenant: RaceTenant, kind: string): string {
  return (tenant as Readonly<Record<string, string>>)[kind] ?? kind;
}

interface Write {
  readonly table: string;
  readonly id: string;
  /** The values of a row that the request created; null for a row that existed before. */
  readonly made: readonly string[] | null;
}

/**
 * Sends a request while no other request runs, and reads from the test’s log of writes which rows it wrote, including
 * rows that a foreign key changed or deleted.
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
