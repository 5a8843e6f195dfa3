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
 * Looks up each named record three times: with the rights of the request, with rights for all of the caller's clients,
 * and without row policies.
 */
export async function checkRecordVisibility(named: readonly RecordKey[], { database, state }: CallerRequest) {
  if (named.length === 0) return [];
  const recordsByTable = [...Map.groupBy(named, ({ table }) => table)];
  const statements = recordsByTable.map(([table, records]) => selectVisibleRecords(table, records));
  const visibilityResults = await database.runWithContexts([
    { context: { ...state, readOnly: true }, statements },
    { context: { ...state, readOnly: true, client: undefined }, statements },
    {
      context: undefined,
      statements: recordsByTable.map(([table, records]) => selectUnfilteredRecords(table, records)),
    },
  ]);
  const [visible, own, located] = visibilityResults.map(
    (batch) =>
      new Map(
        batch.flatMap(({ rows }, index) =>
          rows.map(([id, ...row]) => [createLookupKey(String(recordsByTable[index]?.[0]), String(id)), row] as const),
        ),
      ),
  );
  return named.map(({ table, id }) => {
    const key = createLookupKey(table, id);
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

const createLookupKey = (table: string, id: string): string => `${table} ${id.toLowerCase()}`;

function selectVisibleRecords(table: string, records: readonly RecordKey[]): Statement {
  const versionColumnSql = records.find((record) => record.version !== undefined)?.version ?? 'null';
  return {
    text: `select r.id, ${versionColumnSql} from public.${table} as r where r.id = any ($1)`,
    values: [records.map(({ id }) => id)],
  };
}

function selectUnfilteredRecords(table: string, records: readonly RecordKey[]): Statement {
  return {
    text: 'select n.id, l.found, l.client_id from unnest($2::uuid[]) as n (id) cross join lateral app.locate($1, n.id) as l',
    values: [table, records.map(({ id }) => id)],
  };
}

export function selectRecordVersion({ table, id, version = 'null' }: RecordKey): Statement {
  return { text: `select ${version} from public.${table} as r where r.id = $1`, values: [id] };
}

export function createNoAccessError(record: RecordKey | undefined, client: string | undefined): RequestError {
  const noAccessReason = `${String(record?.table)} ${String(record?.id)} is not the caller's`;
  return new RequestError('ERROR_FORBIDDEN', noAccessReason, {
    kind: 'record',
    clientContext: client ?? null,
  });
}
