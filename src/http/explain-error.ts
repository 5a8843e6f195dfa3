import { findConstraintName, sqlState } from '../db/errors.ts';
import { createFieldProblems, problemsText, RequestError, validationError, type BrokenRuleByField } from '../errors.ts';
import { addExistingId, rule } from '../problems.ts';
import type { CallerRequest } from './caller-request.ts';
import type { Endpoint, RequestInput } from './endpoint.ts';
import { GENERAL_CONFLICT_RULES, RecordNotFound } from './errors.ts';
import { findErrorCode } from './sqlstate.ts';
import {
  checkRecordVisibility,
  collectReferences,
  createNoAccessError,
  readFirstRow,
  type FoundRecord,
} from './visibility.ts';

/* Explains which field broke which rule, using only data that the caller may see: docs/decisions/conflict-details.md */

export const FIXED_FIELD_RULE = rule('fixed');
export const DERIVED_FIELD_RULE = rule('derived.by_service');

interface FailedRequest {
  readonly error: unknown;
  readonly sqlstate: string;
  readonly endpoint: Endpoint;
  readonly input: RequestInput;
  readonly request: CallerRequest;
}

/** Returns a more exact error than `error`: the first answer to these questions. */
export async function explainError(
  error: unknown,
  endpoint: Endpoint,
  input: RequestInput,
  request: CallerRequest,
): Promise<unknown> {
  const failed = { error, sqlstate: sqlState(error) ?? '', endpoint, input, request };
  return (
    (await explainMissingRow(failed)) ??
    explainCursor(failed) ??
    (await explainReferences(failed)) ??
    (await explainHolders(failed)) ??
    (await explainConstraint(failed))
  );
}

async function explainMissingRow(failed: FailedRequest): Promise<RequestError | undefined> {
  const { error, endpoint, input, request } = failed;
  if (!(error instanceof RecordNotFound)) return undefined;
  const { state, ifMatch } = request;
  if (error.record !== undefined) Object.assign(state, { resource: error.record.table, resourceId: error.record.id });
  const { resource: table, resourceId: id } = state;
  if (table === undefined || id === undefined) return new RequestError('ERROR_NOT_FOUND', 'no such record');
  const key = { table, id, versionSql: ifMatch === null ? undefined : endpoint.of?.version };
  // Leaves the request's client out, because `requireAccessToClients` has already checked access to this client.
  const references = collectReferences(endpoint.references, input.body).filter((one) => one.id !== state.client);
  const found = await checkRecordVisibility([key, ...references], request);
  const [record] = found;
  return findFirst(found, explainInaccessible) ?? (record && explainUnchangedRow(record, failed));
}

/** Explains why the statement found no row, although the caller has access to the record. */
async function explainUnchangedRow(record: FoundRecord, failed: FailedRequest): Promise<RequestError> {
  return (
    explainLateRow(record, failed) ??
    explainOtherClient(record) ??
    explainIfMatch(record, failed) ??
    (await explainState(record, failed))
  );
}

/** 404 for a missing record, 403 for an inaccessible one. */
function explainInaccessible({ field, table, id, exists, isOwn, client }: FoundRecord): RequestError | undefined {
  if (exists) return isOwn ? undefined : createNoAccessError({ table, id }, client);
  const problems = field === undefined ? undefined : createFieldProblems({ [field]: rule('no_such_record') });
  return new RequestError('ERROR_NOT_FOUND', `no ${table} ${id}`, problems && { problems });
}

function explainLateRow({ table, id }: FoundRecord, { request }: FailedRequest): RequestError | undefined {
  return request.state.readOnly ? new RequestError('ERROR_NOT_FOUND', `${table} ${id} was not there yet`) : undefined;
}

/** 409 and not 403, because the caller has access to both clients: that of the request and that of the record. */
function explainOtherClient({ field, table, id, isVisible }: FoundRecord): RequestError | undefined {
  if (isVisible) return undefined;
  const rules = field === undefined ? { client_id: FIXED_FIELD_RULE } : { [field]: rule('of_another_client') };
  return conflict(`${table} ${id} is of another client`, rules);
}

function explainIfMatch(
  { table, id, version }: FoundRecord,
  { endpoint, request }: FailedRequest,
): RequestError | undefined {
  const { ifMatch } = request;
  // A record never returns to an earlier version, so an ETag that matches now also matched when the statement ran.
  const tag = version === undefined ? undefined : endpoint.of?.formatEtag(version);
  if (ifMatch === null || (tag !== undefined && ifMatch.includes(tag))) return undefined;
  return new RequestError('ERROR_PRECONDITION_FAILED', `${table} ${id} has changed since`);
}

/** Compares the body with the columns that the UPDATE compares: the fixed and the derived columns, and the status. */
async function explainState(
  { table, id, client }: FoundRecord,
  { endpoint: { of }, input: { body }, request }: FailedRequest,
): Promise<RequestError> {
  const derived = of?.derived ?? {};
  const columns = [...(of?.fixed ?? []), ...Object.keys(derived), ...(of?.hasMoves ? ['status'] : [])].filter(
    (name) => body[name] !== undefined,
  );
  if (of === undefined || columns.length === 0)
    return new RequestError('ERROR_FORBIDDEN', `${table} ${id} is not the caller's to change`, {
      kind: 'rule',
      clientContext: client ?? null,
    });
  const moves = `, array_to_json(array(select distinct m.to_status from app.moves('${of.table}', r.status, to_jsonb(r)) as m order by m.to_status))`;
  const text = `select ${columns.map((name) => derived[name]?.('$2') ?? `r.${name}`).join(', ')}${columns.includes('status') ? moves : ''} from public.${of.table} as r where r.id = $1 and $2::jsonb is not null`;
  const row = (await readFirstRow({ text, values: [id, JSON.stringify(body)] }, request)) ?? [];
  const broken = columns.flatMap((name, index) => {
    const from = row[index] ?? '';
    const isSame = from === String(body[name]);
    if (name in derived) return from === 't' ? [] : [[name, DERIVED_FIELD_RULE] as const];
    if (name !== 'status') return isSame ? [] : [[name, FIXED_FIELD_RULE] as const];
    const params = { from, moves: JSON.parse(row.at(-1) ?? '[]') as string[] };
    return [[name, rule(isSame ? 'already' : 'moved_meanwhile', params)] as const];
  });
  // A whole record with a changed derived field repeats its status, which is no move.
  const ofDerived = broken.filter(([name]) => name in derived);
  const rules = ofDerived.length === 0 ? broken : broken.filter(([name]) => name !== 'status');
  return conflict(
    `${table} ${id} is not in a state for this`,
    rules.length === 0 ? GENERAL_CONFLICT_RULES : Object.fromEntries(rules),
  );
}

/** A list fails with SQLSTATE class 22 (invalid value) only for a made-up cursor: all other values were checked. */
function explainCursor({ error, sqlstate, input }: FailedRequest): RequestError | undefined {
  if (input.query['after'] === undefined || !sqlstate.startsWith('22')) return undefined;
  return validationError('after', rule('not_a_cursor.list'), undefined, error);
}

async function explainReferences({
  sqlstate,
  endpoint,
  input,
  request,
}: FailedRequest): Promise<RequestError | undefined> {
  if (!['42501', '23503', 'TX409'].includes(sqlstate)) return undefined;
  const found = await checkRecordVisibility(collectReferences(endpoint.references, input.body), request);
  return findFirst(found, explainInaccessible) ?? findFirst(found, explainOtherClient);
}

/** Counts the records that still refer to the record that was to be deleted. */
async function explainHolders({ error, sqlstate, endpoint, input, request }: FailedRequest): Promise<unknown> {
  if (!['23503', '23001', 'TX409'].includes(sqlstate)) return undefined;
  const holders = Object.entries(endpoint.heldBy?.(input) ?? {});
  if (holders.length === 0) return undefined;
  const rows = await Promise.all(holders.map(([, { count }]) => readFirstRow(count, request)));
  const rules = holders.flatMap(([field, { key }], index) => {
    const count = Number(rows[index]?.[0] ?? 0);
    return count === 0 ? [] : [[field, rule(key, { count })] as const];
  });
  return addRules(error, rules.length === 0 ? { id: rule('in_use') } : Object.fromEntries(rules));
}

async function explainConstraint({ error, endpoint, input, request }: FailedRequest): Promise<unknown> {
  const existing = endpoint.existing?.(input)[findConstraintName(error) ?? ''];
  return explainConstraintError(error, endpoint, existing && (await readFirstRow(existing, request))?.[0]);
}

/** Returns the rules of the violated constraint, with the id of the existing record, or else the error itself. */
export function explainConstraintError(
  error: unknown,
  { constraints }: Pick<Endpoint, 'constraints'>,
  existing?: string | null,
): unknown {
  const rules = constraints?.[findConstraintName(error) ?? ''];
  if (rules === undefined) return error;
  if (existing == null) return addRules(error, rules);
  const named = Object.entries(rules).map(([field, broken]) => [field, addExistingId(broken, existing)] as const);
  return addRules(error, Object.fromEntries(named));
}

function addRules(error: unknown, rules: BrokenRuleByField): RequestError {
  const problems = createFieldProblems(rules);
  return new RequestError(findErrorCode(sqlState(error) ?? ''), problemsText(problems), { problems, cause: error });
}

function conflict(reason: string, rules: BrokenRuleByField): RequestError {
  return new RequestError('ERROR_CONFLICT', reason, { problems: createFieldProblems(rules) });
}

function findFirst(
  found: readonly FoundRecord[],
  explain: (record: FoundRecord) => RequestError | undefined,
): RequestError | undefined {
  return found.map((record) => explain(record)).find((error) => error !== undefined);
}
