import type { Lane } from './lane.ts';
import { exchange } from './exchange.ts';
import type { Operation } from './operation.ts';
import type { RaceTenant } from './people.ts';

/** An operation with what it was seen to write when it was alone. */
export interface Measured {
  readonly operation: Operation;
  readonly status: number;
  readonly tables: readonly string[];
  /** Those of the rows that were there before: the table and the names of their ids, as `sites:annex`. */
  readonly rows: readonly string[];
  /** The records that it is about: of those rows, those that a new row names, and `new` with the table of that. */
  readonly touched: readonly string[];
  /** Who asks, by the name of the id; undefined where nobody is stored. */
  readonly caller: string | undefined;
}

/** The id that a name stands for; a part of a key that is no id stands for itself. */
export function idIn(tenant: RaceTenant, kind: string): string {
  return (tenant as Readonly<Record<string, string>>)[kind] ?? kind;
}

interface Write {
  readonly table: string;
  readonly id: string;
  /** The values of a new row; of another null. */
  readonly made: readonly string[] | null;
}

/** Lets an operation run alone, and reads in the witness what it wrote, cascades included. */
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
