import type { Statement } from '../db/statement.ts';
import { RequestError } from '../errors.ts';
import type { CallerRequest } from './caller-request.ts';

/* Checks whether a caller may see the records that a request names. */

export interface RecordKey {
  readonly table: string;
  readonly id: string;
  readonly version?: string | undefined;
}

/**
 * Looks for the named records with the rights of the request, with the rights for all clients of the caller, and
 * without row policies.
 */
export async function visibilityOf(named: readonly RecordKey[], { database, state }: CallerRequest) {
  if (named.length === 0) return [];
  const tables = [...Map.groupBy(named, ({ table }) => table)];
  const statements = tables.map(([table, records]) => selectAllVisible(table, records));
  const results = await database.runWithContexts([
    { context: { ...state, readOnly: true }, statements },
    { context: { ...state, readOnly: true, client: undefined }, statements },
    { context: undefined, statements: tables.map(([table, records]) => selectAllUnfiltered(table, records)) },
  ]);
  const [visible, own, located] = results.map(
    (batch) =>
      new Map(
        batch.flatMap(({ rows }, index) =>
          rows.map(([id, ...row]) => [keyOf(String(tables[index]?.[0]), String(id)), row] as const),
        ),
      ),
  );
  return named.map(({ table, id }) => {
    const key = keyOf(table, id);
    const [found, client] = located?.get(key) ?? [];
    return {
      isVisible: visible?.has(key) === true,
      isOwn: own?.has(key) === true,
      exists: found === 't',
      client: client ?? undefined,
      version: visible?.get(key)?.[0] ?? undefined,
    };
  });
}

const keyOf = (table: string, id: string): string => `${table} ${id.toLowerCase()}`;

function selectAllVisible(table: string, records: readonly RecordKey[]): Statement {
  const versionSql = records.find((record) => record.version !== undefined)?.version ?? 'null';
  return {
    text: `select r.id, ${versionSql} from public.${table} as r where r.id = any ($1)`,
    values: [records.map(({ id }) => id)],
  };
}

function selectAllUnfiltered(table: string, records: readonly RecordKey[]): Statement {
  return {
    text: 'select n.id, l.found, l.client_id from unnest($2::uuid[]) as n (id) cross join lateral app.locate($1, n.id) as l',
    values: [table, records.map(({ id }) => id)],
  };
}

export function selectVisible({ table, id, version = 'null' }: RecordKey): Statement {
  return { text: `select ${version} from public.${table} as r where r.id = $1`, values: [id] };
}

export function noAccessError(record: RecordKey | undefined, client: string | undefined): RequestError {
  const reason = `${String(record?.table)} ${String(record?.id)} is not the caller's`;
  return new RequestError('ERROR_FORBIDDEN', reason, { kind: 'record', clientContext: client ?? null });
}
