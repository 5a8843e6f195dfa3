import { findConstraintName, sqlState } from '../db/errors.ts';
import type { Statement } from '../db/statement.ts';
import { problemsText, createFieldProblems, RequestError, validationError, type BrokenRuleByField } from '../errors.ts';
import { rule, addExistingId, type ProblemRule } from '../problems.ts';
import type { CallerRequest } from './caller-request.ts';
import type { Endpoint, RequestInput, Row } from './endpoint.ts';
import { findErrorCode } from './sqlstate.ts';
import { createNoAccessError, selectRecordVersion, checkRecordVisibility, type RecordKey } from './visibility.ts';

/* Explains which field broke which rule, using only data that the caller may see: docs/decisions/conflict-details.md */

interface ReferencedRecord extends RecordKey {
  readonly field: string;
}

/** Thrown if a statement finds no row for `record`, by default the record of the request. */
export class RecordNotFound extends Error {
  override readonly name = 'RecordNotFound';
  readonly record: RecordKey | undefined;

  constructor(record?: RecordKey) {
    super();
    this.record = record;
  }
}

/** The problem that a 409 reports if no other rule explains the conflict. */
export const GENERAL_CONFLICT_RULES: BrokenRuleByField = { body: rule('conflict') };

export const FIXED_FIELD_RULE = rule('fixed');

/** A list fails with SQLSTATE class 22 (invalid value) only for a made-up cursor: all other values were checked. */
const INVALID_VALUE_SQLSTATE_PATTERN = /^22/;

const NO_REFERENCE_ACCESS_SQLSTATES: readonly unknown[] = ['42501', '23503', 'TX409'];
const STILL_REFERENCED_SQLSTATES: readonly unknown[] = ['23503', '23001', 'TX409'];

/** Returns a more exact error than `error`: a missing or inaccessible record, or the broken rule of each field. */
export async function explainError(
  error: unknown,
  endpoint: Endpoint,
  input: RequestInput,
  request: CallerRequest,
): Promise<unknown> {
  if (error instanceof RecordNotFound) {
    if (error.record !== undefined)
      Object.assign(request.state, { resource: error.record.table, resourceId: error.record.id });
    return explainMissingRow(endpoint, input, request);
  }
  if (input.query['after'] !== undefined && INVALID_VALUE_SQLSTATE_PATTERN.test(sqlState(error) ?? ''))
    return validationError('after', rule('not_a_cursor.list'), undefined, error);
  const inaccessibleReferenceError = NO_REFERENCE_ACCESS_SQLSTATES.includes(sqlState(error))
    ? await findReferencedRecordError(collectReferencedRecords(endpoint.references, input.body), request)
    : undefined;
  if (inaccessibleReferenceError !== undefined) return inaccessibleReferenceError;
  const holderRules = STILL_REFERENCED_SQLSTATES.includes(sqlState(error))
    ? await explainHoldingRecords(endpoint.heldBy?.(input) ?? {}, request)
    : undefined;
  if (holderRules !== undefined) return conflictError(error, holderRules);
  const existingRecordQuery = endpoint.existing?.(input)[findConstraintName(error) ?? ''];
  return explainConstraintError(
    error,
    endpoint,
    existingRecordQuery && (await readFirstRow(existingRecordQuery, request))?.[0],
  );
}

export function explainConstraintError(
  error: unknown,
  { constraints }: Pick<Endpoint, 'constraints'>,
  existing?: string | null,
): unknown {
  const constraintRules = constraints?.[findConstraintName(error) ?? ''];
  if (constraintRules === undefined || existing == null)
    return constraintRules === undefined ? error : conflictError(error, constraintRules);
  const rulesWithExistingId = Object.entries(constraintRules).map(([field, broken]) => [
    field,
    addExistingId(broken, existing),
  ]);
  return conflictError(error, Object.fromEntries(rulesWithExistingId) as BrokenRuleByField);
}

function conflictError(error: unknown, rules: BrokenRuleByField): unknown {
  const sqlstate = sqlState(error);
  if (sqlstate === undefined) return error;
  const problems = createFieldProblems(rules);
  return new RequestError(findErrorCode(sqlstate), problemsText(problems), { problems, cause: error });
}

/** @throws RecordNotFound, RequestError for an empty list whose path or filter names an inaccessible record */
export async function refuseInaccessibleList(
  { references }: Endpoint,
  { query }: RequestInput,
  request: CallerRequest,
): Promise<void> {
  if (request.state.resourceId !== undefined) await requireVisibleRecord(request);
  const referencedRecords = collectReferencedRecords(references, query);
  for (const [index, { isOwn, exists, client }] of (await checkRecordVisibility(referencedRecords, request)).entries())
    if (exists && !isOwn) throw createNoAccessError(referencedRecords[index], client);
}

/** @throws RecordNotFound where the caller cannot see the record of the request */
export async function requireVisibleRecord(request: CallerRequest): Promise<void> {
  const { resource: table, resourceId: id } = request.state;
  if (
    table === undefined ||
    id === undefined ||
    (await readFirstRow(selectRecordVersion({ table, id }), request)) === undefined
  )
    throw new RecordNotFound();
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

/** Returns 404 for a missing record, 403 for an inaccessible one, 412 for an outdated If-Match, otherwise 409. */
async function explainMissingRow(
  endpoint: Endpoint,
  input: RequestInput,
  request: CallerRequest,
): Promise<RequestError> {
  const { state, ifMatch } = request;
  const { resource: table, resourceId: id } = state;
  if (table === undefined || id === undefined) return new RequestError('ERROR_NOT_FOUND', 'no such record');
  const missingRecordKey = { table, id, version: ifMatch === null ? undefined : endpoint.of?.version };
  // `referencedRecords` omits the request's client, because `requireClients` has already checked access to this client.
  const referencedRecords = collectReferencedRecords(endpoint.references, input.body).filter(
    ({ id }) => id !== state.client,
  );
  const [visibility, ...others] = await checkRecordVisibility([missingRecordKey, ...referencedRecords], request);
  if (visibility?.exists !== true) return new RequestError('ERROR_NOT_FOUND', `no ${table} ${id}`);
  if (!visibility.isOwn) return createNoAccessError(missingRecordKey, visibility.client);
  if (state.readOnly) return new RequestError('ERROR_NOT_FOUND', `${table} ${id} was not there yet`);
  const referencedRecordError = findInaccessibleRecordError(referencedRecords, others);
  if (referencedRecordError !== undefined) return referencedRecordError;
  // If the record belongs to another client than the request names, answers 409 and not 403, because the caller has
  // access to both clients.
  if (!visibility.isVisible) {
    const problems = createFieldProblems({ client_id: FIXED_FIELD_RULE });
    return new RequestError('ERROR_CONFLICT', `${table} ${id} is of another client`, { problems });
  }
  // A record never returns to an earlier version, so an ETag that matches now also matched when the statement ran.
  const currentRecordEtag = visibility.version === undefined ? undefined : endpoint.of?.tagOf(visibility.version);
  if (ifMatch !== null && (currentRecordEtag === undefined || !ifMatch.includes(currentRecordEtag)))
    return new RequestError('ERROR_PRECONDITION_FAILED', `${table} ${id} has changed since`);
  const conditionalColumnsInBody = findConditionalColumns(endpoint, input);
  if (conditionalColumnsInBody.length === 0)
    return new RequestError('ERROR_FORBIDDEN', `${table} ${id} is not the caller's to change`, {
      ...{ kind: 'rule', clientContext: visibility.client ?? null },
    });
  const problems = createFieldProblems(await explainUnchangedRow(endpoint, input, conditionalColumnsInBody, request));
  return new RequestError('ERROR_CONFLICT', `${table} ${id} is not in a state for this`, { problems });
}

/** Returns the body's columns that the UPDATE compares with the stored row: the fixed columns and the status. */
function findConditionalColumns({ of }: Endpoint, { body }: RequestInput): readonly string[] {
  const { fixed = [], hasMoves = false } = of ?? {};
  return [...fixed, ...(hasMoves ? ['status'] : [])].filter((name) => body[name] !== undefined);
}

/**
 * Explains why an UPDATE did not change a visible row: the body changes a fixed column, or asks for a status to which
 * the row cannot move.
 */
async function explainUnchangedRow(
  { of }: Endpoint,
  { body }: RequestInput,
  columns: readonly string[],
  request: CallerRequest,
): Promise<BrokenRuleByField> {
  const nextStatusesColumnSql = `, array_to_json(array(select m.to_status from app.moves('${of?.table ?? ''}', r.status) as m))`;
  const currentColumnValuesQuery = {
    text: `select ${columns.map((name) => `r.${name}`).join(', ')}${columns.includes('status') ? nextStatusesColumnSql : ''} from public.${of?.table ?? ''} as r where r.id = $1`,
    values: [request.state.resourceId ?? ''],
  };
  const row = (await readFirstRow(currentColumnValuesQuery, request)) ?? [];
  const unchangedRowRuleEntries = columns.flatMap((name, index): [string, ProblemRule][] => {
    const [from, wanted] = [row[index] ?? '', String(body[name])];
    if (name !== 'status') return from === wanted ? [] : [[name, FIXED_FIELD_RULE]];
    const statusMoveRuleParams = { from, moves: JSON.parse(row.at(-1) ?? '[]') as string[] };
    return [
      [name, from === wanted ? rule('already', statusMoveRuleParams) : rule('moved_meanwhile', statusMoveRuleParams)],
    ];
  });
  return unchangedRowRuleEntries.length === 0 ? GENERAL_CONFLICT_RULES : Object.fromEntries(unchangedRowRuleEntries);
}

async function explainHoldingRecords(
  heldBy: ReturnType<NonNullable<Endpoint['heldBy']>>,
  request: CallerRequest,
): Promise<BrokenRuleByField | undefined> {
  const holdingRecordEntries = Object.entries(heldBy);
  if (holdingRecordEntries.length === 0) return undefined;
  const holdingRecordCountRows = await Promise.all(
    holdingRecordEntries.map(async ([, { count }]) => readFirstRow(count, request)),
  );
  const holderRuleEntries = holdingRecordEntries.flatMap(([field, { key }], index): [string, ProblemRule][] => {
    const count = Number(holdingRecordCountRows[index]?.[0] ?? 0);
    return count === 0 ? [] : [[field, rule(key, { count })]];
  });
  return holderRuleEntries.length === 0 ? { id: rule('in_use') } : Object.fromEntries(holderRuleEntries);
}

async function findReferencedRecordError(
  named: readonly ReferencedRecord[],
  request: CallerRequest,
): Promise<RequestError | undefined> {
  const recordVisibilities = await checkRecordVisibility(named, request);
  const invisibleRecord = named.find((_record, index) => recordVisibilities[index]?.isVisible === false);
  return (
    findInaccessibleRecordError(named, recordVisibilities) ??
    (invisibleRecord &&
      new RequestError('ERROR_CONFLICT', `${invisibleRecord.table} ${invisibleRecord.id} is of another client`, {
        problems: createFieldProblems({ [invisibleRecord.field]: rule('of_another_client') }),
      }))
  );
}

function findInaccessibleRecordError(
  named: readonly ReferencedRecord[],
  found: Awaited<ReturnType<typeof checkRecordVisibility>>,
): RequestError | undefined {
  for (const [index, record] of named.entries()) {
    const { isOwn = true, exists = true, client } = found[index] ?? {};
    if (!exists) {
      const problems = createFieldProblems({ [record.field]: rule('no_such_record') });
      return new RequestError('ERROR_NOT_FOUND', `no ${record.table} ${record.id}`, { problems });
    }
    if (!isOwn) return createNoAccessError(record, client);
  }
  return undefined;
}

function collectReferencedRecords(
  references: Readonly<Record<string, string>> = {},
  values: Readonly<Record<string, unknown>>,
): readonly ReferencedRecord[] {
  return Object.entries(references).flatMap(([field, table]) =>
    [values[field]].flat().flatMap((id) => (typeof id === 'string' ? [{ field, table, id }] : [])),
  );
}

async function readFirstRow(statement: Statement, { database, state }: CallerRequest): Promise<Row | undefined> {
  const [result] = await database.run({ ...state, readOnly: true }, [statement]);
  return result?.rows[0];
}
