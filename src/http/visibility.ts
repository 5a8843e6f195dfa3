import type { Statement } from '../db/statement.ts';
import { sqlState } from '../db/errors.ts';
import { RequestError } from '../errors.ts';
import type { CallerRequest } from './caller-request.ts';
import type { Endpoint, RequestInput, Row } from './endpoint.ts';
import { RecordNotFound } from './errors.ts';

/* Checks whether a caller may see the records that a request names. */

export interface RecordKey {
  readonly table: string;
  readonly id: string;
}

interface NamedRecord extends RecordKey {
  /** The field of the body or the list filter that names the record; undefined for the request's own record. */
  readonly field?: string;
  /** The SQL expression, over the row `r`, for the version that is to be returned. */
  readonly versionSql?: string | undefined;
}

export interface FoundRecord extends NamedRecord {
  readonly isVisible: boolean;
  readonly isOwn: boolean;
  readonly exists: boolean;
  readonly client: string | undefined;
  readonly version: string | undefined;
}

/**
 * Looks up each named record three times: with the rights of the request, with rights for all of the caller's clients,
 * and without row policies.
 */
export async function checkRecordVisibility(
  named: readonly NamedRecord[],
  { database, state }: CallerRequest,
): Promise<readonly FoundRecord[]> {
  if (named.length === 0) return [];
  const tables = [...Map.groupBy(named, ({ table }) => table)];
  const statements = tables.map(([table, records]) => selectVisible(table, records));
  const batches = await database.runWithContexts([
    { context: { ...state, readOnly: true }, statements },
    { context: { ...state, readOnly: true, client: undefined }, statements },
    { context: undefined, statements: tables.map(([table, records]) => selectLocated(table, records)) },
  ]);
  const [visible, own, located] = batches.map(
    (batch) =>
      new Map(
        batch.flatMap(({ rows }, index) =>
          rows.map(([id, ...row]) => [lookupKey(String(tables[index]?.[0]), String(id)), row] as const),
        ),
      ),
  );
  return named.map((record) => {
    const key = lookupKey(record.table, record.id);
    const [found, client] = located?.get(key) ?? [];
    return {
      ...record,
      isVisible: visible?.has(key) === true,
      isOwn: own?.has(key) === true,
      exists: found === 't',
      client: client ?? undefined,
      version: visible?.get(key)?.[0] ?? undefined,
    };
  });
}

const lookupKey = (table: string, id: string): string => `${table} ${id.toLowerCase()}`;

function selectVisible(table: string, records: readonly NamedRecord[]): Statement {
  const version = records.find(({ versionSql }) => versionSql !== undefined)?.versionSql ?? 'null';
  return {
    text: `select r.id, ${version} from public.${table} as r where r.id = any ($1)`,
    values: [records.map(({ id }) => id)],
  };
}

function selectLocated(table: string, records: readonly RecordKey[]): Statement {
  return {
    text: 'select n.id, l.found, l.client_id from unnest($2::uuid[]) as n (id) cross join lateral app.locate($1, n.id) as l',
    values: [table, records.map(({ id }) => id)],
  };
}

export function createNoAccessError(record: RecordKey | undefined, client: string | undefined): RequestError {
  const reason = `${String(record?.table)} ${String(record?.id)} is not the caller's`;
  return new RequestError('ERROR_FORBIDDEN', reason, { kind: 'record', clientContext: client ?? null });
}

export function collectReferences(
  references: Endpoint['references'] = {},
  values: Readonly<Record<string, unknown>>,
): readonly NamedRecord[] {
  return Object.entries(references).flatMap(([field, table]) =>
    [values[field]].flat().flatMap((id) => (typeof id === 'string' ? [{ field, table, id }] : [])),
  );
}

/** @throws RecordNotFound, RequestError for an empty list whose path or filter names an inaccessible record */
export async function refuseInaccessibleList(
  { references }: Endpoint,
  { query }: RequestInput,
  request: CallerRequest,
): Promise<void> {
  if (request.state.resourceId !== undefined) await requireVisibleRecord(request);
  for (const record of await checkRecordVisibility(collectReferences(references, query), request))
    if (record.exists && !record.isOwn) throw createNoAccessError(record, record.client);
}

/** @throws RecordNotFound where the caller cannot see the record of the request */
export async function requireVisibleRecord(request: CallerRequest): Promise<void> {
  const { resource: table, resourceId: id } = request.state;
  if (table === undefined || id === undefined) throw new RecordNotFound();
  if ((await readFirstRow(selectRecord({ table, id }), request)) === undefined) throw new RecordNotFound();
}

export function selectRecord({ table, id }: RecordKey): Statement {
  return { text: `select null from public.${table} as r where r.id = $1`, values: [id] };
}

/**
 * Asks again for the rights that a request had at its start.
 * @throws RecordNotFound where the caller no longer sees the record of the request, and the errors of the database
 */
export async function requirePresentRights(request: CallerRequest): Promise<void> {
  if (request.state.resourceId !== undefined) await requireVisibleRecord(request);
  else await readFirstRow({ text: 'select 1', values: [] }, request);
}

/**
 * Rethrows the error of a request that creates a child of the record in the path. If somebody has deleted the record in
 * the path, throws RecordNotFound instead, so that the answer is 404.
 *
 * @throws RecordNotFound, or the error itself
 */
export async function rethrowIfRecordVisible(error: unknown, request: CallerRequest): Promise<never> {
  if (sqlState(error) !== undefined) await requireVisibleRecord(request);
  throw error;
}

export async function readFirstRow(statement: Statement, { database, state }: CallerRequest): Promise<Row | undefined> {
  const [result] = await database.run({ ...state, readOnly: true }, [statement]);
  return result?.rows[0];
}
