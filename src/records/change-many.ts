import { z } from 'zod';
import { sqlState } from '../db/errors.ts';
import type { Statement } from '../db/statement.ts';
import type { StatementRunner } from '../db/transaction.ts';
import { createFieldProblems, RequestError, type ErrorCode, type Problem, type BrokenRuleByField } from '../errors.ts';
import type { CallerRequest } from '../http/caller-request.ts';
import { runOncePerKey } from '../http/creation.ts';
import type { Row } from '../http/endpoint.ts';
import type { EndpointReply } from '../http/envelope.ts';
import { GENERAL_CONFLICT_RULES, RecordNotFound } from '../http/errors.ts';
import * as field from '../http/fields.ts';
import { createNoAccessError, checkRecordVisibility, type RecordKey } from '../http/visibility.ts';
import { DERIVED_FIELD_RULE, FIXED_FIELD_RULE } from '../http/explain-error.ts';
import { MAX_BULK_CHANGES, MAX_CHECKED_REFERENCES, MAX_LISTED_PROBLEMS } from '../limits.ts';
import { rule, type ProblemRule } from '../problems.ts';
import type { RecordLine, ImportRules } from './import/checks.ts';
import { ProblemList } from './import/given.ts';
import { runAndRollBack } from './import/import.ts';
import { convertToRefusal } from './import/refusals.ts';
import { createTurnAwaiter } from './import/turns.ts';
import type { RecordDefinition } from './record.ts';

/* Bulk changes: one request changes many claims, invoices or bills, all or none; docs/decisions/bulk-changes.md */

interface BulkChangeOptions extends Pick<ImportRules, 'of' | 'constraints'> {
  readonly references: Readonly<Record<string, string>>;
}

type BulkChange = RecordLine['body'];

export function bulkChangeBody(of: RecordDefinition) {
  const meta = of.changeBody.meta();
  const example = { id: of.exampleId, ...(meta?.['example'] as object) };
  const version = field.timestamp
    .describe('updated_at of the record as it was read. Returns 412 if the record has changed since.')
    .optional();
  const one = of.changeBody
    .extend({ id: field.uuid, version })
    .meta({ ...meta, id: `${of.name}ChangeOfMany`, example }) as unknown as z.ZodType<BulkChange>;
  const changes = z
    .array(one, rule('not_a_list'))
    .min(1, rule('empty'))
    .max(MAX_BULK_CHANGES, rule('too_many_items', { max: MAX_BULK_CHANGES }))
    .describe('Changes of different records: either all are made, or none.');
  return z.strictObject({ changes }).meta({ id: `${of.name}Changes`, example: { changes: [example] } });
}

class RecordsUnchangedError extends Error {}

export async function changeRecords(
  options: BulkChangeOptions,
  changes: readonly BulkChange[],
  isDryRun: boolean,
  request: CallerRequest,
): Promise<EndpointReply> {
  const { of, constraints = {} } = options;
  const lines = changes.map((body, index): RecordLine => ({ row: { value: body, position: { index } }, body }));
  refuseRepeated(lines);
  const ids = changes.map(({ id }) => id);
  const update = (run: StatementRunner) => updateRecords(of, changes, run);
  try {
    const rows = isDryRun
      ? await runAndRollBack(update, request)
      : await runOncePerKey(request, { table: of.table, id: ids[0] ?? '' }, update, (run) => readChanged(of, ids, run));
    return { status: 200, body: `[${rows.map((row) => of.write(row)).join(',')}]` };
  } catch (error) {
    if (!(error instanceof RecordsUnchangedError) && sqlState(error) === undefined) throw error;
    const reasons = await readSkipReasons(of, lines, request);
    await refuseInaccessible(of, listReferences(options, lines, reasons), request);
    await refuseWithProblems(of, lines, error, reasons, constraints, request);
    if (!(error instanceof RecordsUnchangedError)) throw error;
    throw new RequestError('ERROR_CONFLICT', 'changed meanwhile', {
      problems: createFieldProblems(GENERAL_CONFLICT_RULES),
    });
  }
}

function refuseRepeated(lines: readonly RecordLine[]): void {
  const problems = new ProblemList();
  const seen = new Set<string>();
  for (const { row, body } of lines) {
    if (seen.has(body.id)) problems.add(row.position, 'id', rule('given_twice.record'));
    seen.add(body.id);
  }
  problems.throwIfAny();
}

const CHANGES_AS_ROWS_SQL = `jsonb_array_elements($1::jsonb) with ordinality as l (value, place)
cross join lateral jsonb_populate_record`;

/**
 * Returns SQL conditions by reason: the bulk update skips each change for which one of the conditions is true. The reason
 * is the name of the column if a change does not repeat the stored value of a derived column.
 */
function skipReasons({ version, fixed, derived }: RecordDefinition): Readonly<Record<string, string>> {
  return {
    // Callers see whole milliseconds, and each change moves the version to a later one.
    stale: `date_trunc('milliseconds', ${String(version)}) <> date_trunc('milliseconds', (l.value ->> 'version')::timestamptz)`,
    fixed: fixed.map((column) => `l.value ? '${column}' and r.${column} <> n.${column}`).join(' or '),
    status: `l.value ? 'status' and r.status = n.status and l.value - '{id,version,status}'::text[] = '{}'`,
    ...Object.fromEntries(
      Object.entries(derived).map(([column, repeats]) => [
        column,
        `l.value ? '${column}' and not ${repeats('l.value')}`,
      ]),
    ),
  };
}

/**
 * Locks the records in one order (docs/decisions/lock-order.md), then changes them. Returns the rows in the order of
 * `changes`.
 * @throws RecordsUnchangedError if a record was not changed
 */
async function updateRecords(
  of: RecordDefinition,
  changes: readonly BulkChange[],
  run: StatementRunner,
): Promise<readonly Row[]> {
  const { rows } = await run(...of.bulkLocks(changes), updateRows(of, changes));
  if (rows.length !== changes.length) throw new RecordsUnchangedError();
  return rows.toSorted((one, other) => Number(one.at(-1)) - Number(other.at(-1)));
}

function updateRows(of: RecordDefinition, bodies: readonly BulkChange[]): Statement {
  return {
    text: `
update public.${of.table} as r
set ${of.setClause('l.value')}
from ${CHANGES_AS_ROWS_SQL}(null::public.${of.table}, l.value) as n
where r.id = n.id and (${Object.values(skipReasons(of)).join(' or ')}) is not true
returning ${of.selectList},
    l.place`,
    values: [JSON.stringify(bodies)],
  };
}

/** For a repeated bulk change. @throws RecordNotFound if the caller no longer sees a record */
async function readChanged(
  of: RecordDefinition,
  ids: readonly string[],
  run: StatementRunner,
): Promise<readonly Row[]> {
  const { rows } = await run({
    text: `
select ${of.selectList}
from unnest($1::uuid[]) with ordinality as l (id, place)
join public.${of.table} as r on r.id = l.id
order by l.place`,
    values: [ids],
  });
  const seen = new Set(rows.map(([id]) => id));
  const missing = ids.find((id) => !seen.has(id));
  if (missing !== undefined) throw new RecordNotFound({ table: of.table, id: missing });
  return rows;
}

interface SkipReason {
  readonly kind: string;
  readonly from: string;
  readonly moves: readonly string[];
}

async function readSkipReasons(
  of: RecordDefinition,
  lines: readonly RecordLine[],
  request: CallerRequest,
): Promise<ReadonlyMap<RecordLine, SkipReason>> {
  const conditions = Object.entries({ unseen: 'r.id is null', ...skipReasons(of) });
  const { rows } = await request.run({
    text: `
select u.place, u.reason, u.status, array_to_json(array(select distinct m.to_status from app.moves('${of.table}', u.status, u.record) as m order by m.to_status))
from (
    select l.place - 1, case ${conditions.map(([reason, holds]) => `when ${holds} then '${reason}'`).join(' ')} end as reason, r.status, to_jsonb(r)
    from ${CHANGES_AS_ROWS_SQL}(null::public.${of.table}, l.value) as n
    left join public.${of.table} as r on r.id = n.id
) as u (place, reason, status, record)
where u.reason is not null`,
    values: [JSON.stringify(lines.map(({ body }) => body))],
  });
  return new Map(
    rows.flatMap(([index, kind, from, moves]) => {
      const line = lines[Number(index)];
      const reason = { kind, from: from ?? '', moves: JSON.parse(moves ?? '[]') as string[] } as SkipReason;
      return line === undefined ? [] : [[line, reason] as const];
    }),
  );
}

type ReferencedRecord = Omit<Problem, 'rule'> & RecordKey;

/** Lists the records that the caller does not see, and those to which a change refers. */
function listReferences(
  { of, references }: BulkChangeOptions,
  lines: readonly RecordLine[],
  reasons: ReadonlyMap<RecordLine, SkipReason>,
): readonly ReferencedRecord[] {
  return lines.flatMap((line) => {
    const { row, body } = line;
    const tables = { ...(reasons.get(line)?.kind === 'unseen' && { id: of.table }), ...references };
    return Object.entries(tables).flatMap(([field, table]) => {
      const id = body[field];
      return typeof id === 'string' && !of.fixed.includes(field) ? [{ position: row.position, field, table, id }] : [];
    });
  });
}

/** @throws RequestError for a record that is missing or another tenant's */
async function refuseInaccessible(
  of: RecordDefinition,
  named: readonly ReferencedRecord[],
  request: CallerRequest,
): Promise<void> {
  const records = [...new Map(named.map((one) => [one.id, one])).values()].slice(0, MAX_CHECKED_REFERENCES);
  const absent = new Set<string>();
  for (const [index, { isOwn, exists, client }] of (await checkRecordVisibility(records, request)).entries()) {
    const { table = '', id = '' } = records[index] ?? {};
    if (!exists) absent.add(id);
    else if (!isOwn) {
      if (table === of.table) Object.assign(request.state, { resource: table, resourceId: id });
      throw createNoAccessError(records[index], client);
    }
  }
  const problems = new ProblemList();
  for (const { id, position, field } of named)
    if (absent.has(id)) problems.add(position, field, rule('no_such_record'));
  problems.throwIfAny('ERROR_NOT_FOUND');
}

/** Groups the changes that can conflict: those with the same values in the fields that Postgres refused. */
function groupConflicting(
  error: unknown,
  lines: readonly RecordLine[],
  constraints: Readonly<Record<string, BrokenRuleByField>>,
): readonly (readonly RecordLine[])[] {
  const fields = Object.keys(convertToRefusal(error, constraints)?.rules ?? {}).filter((field) => field !== '');
  const groups = Map.groupBy(lines, (line) => {
    const values = fields.map((field) => line.body[field]);
    return fields.length === 0 || values.includes(undefined) ? line : JSON.stringify(values);
  });
  return [...groups.values()];
}

/**
 * Makes the changes in a transaction and collects the errors of Postgres. Each group of changes is undone before the
 * next one, so that other requests wait for the rows of one group only. Tries a refused change again without the refused
 * fields, so that the response names each wrong field.
 * @throws RequestError where a change is refused
 */
async function refuseWithProblems(
  of: RecordDefinition,
  lines: readonly RecordLine[],
  error: unknown,
  reasons: ReadonlyMap<RecordLine, SkipReason>,
  constraints: Readonly<Record<string, BrokenRuleByField>>,
  request: CallerRequest,
): Promise<void> {
  const nextTurn = createTurnAwaiter(request.incoming);
  const { found, codes, isCut } = await runAndRollBack(async (_run, attempt, undo) => {
    const found = new Map<RecordLine, (readonly [string, ProblemRule])[]>();
    const codes = new Set<ErrorCode>();
    const tryLine = async (line: RecordLine): Promise<void> => {
      const reason = reasons.get(line);
      if (reason !== undefined) {
        codes.add(reason.kind === 'stale' ? 'ERROR_PRECONDITION_FAILED' : 'ERROR_CONFLICT');
        found.set(line, [...findBrokenRules(reason, of, line)]);
        return;
      }
      for (let body: BulkChange | undefined = line.body; body !== undefined; ) {
        await nextTurn();
        const thrown = await attempt(...of.bulkLocks([body]), updateRows(of, [body]));
        if (thrown === undefined) return;
        const refusal = convertToRefusal(thrown, constraints);
        if (refusal === undefined) throw thrown;
        codes.add(refusal.code);
        found.set(line, [...(found.get(line) ?? []), ...Object.entries(refusal.rules)]);
        body = omitFields(Object.keys(refusal.rules), body);
      }
    };
    for (const group of groupConflicting(error, lines, constraints)) {
      if (found.size >= MAX_LISTED_PROBLEMS) return { found, codes, isCut: true };
      await undo(async () => {
        for (const line of group) await tryLine(line);
      });
    }
    return { found, codes, isCut: false };
  }, request);
  const problems = new ProblemList();
  for (const line of lines)
    for (const [field, broken] of found.get(line) ?? []) problems.add(line.row.position, field, broken);
  if (isCut) problems.addUntriedLines();
  problems.throwIfAny(ERROR_CODE_PRECEDENCE.find((one) => codes.has(one)));
}

/** If the refused changes have several error codes, the response has the earliest code in ERROR_CODE_PRECEDENCE. */
const ERROR_CODE_PRECEDENCE = ['ERROR_PRECONDITION_FAILED', 'ERROR_CONFLICT'] as const;

function findBrokenRules(
  { kind, from, moves }: SkipReason,
  of: RecordDefinition,
  { body }: RecordLine,
): readonly [string, ProblemRule][] {
  if (kind === 'stale') return [['version', rule('changed_since')]];
  if (kind === 'status') return [['status', rule('already', { from, moves })]];
  if (kind in of.derived) return [[kind, DERIVED_FIELD_RULE]];
  return of.fixed.filter((column) => body[column] !== undefined).map((column) => [column, FIXED_FIELD_RULE]);
}

/** Returns the change without `fields`; undefined if it had none of them or if no field to change is left. */
function omitFields(fields: readonly string[], body: BulkChange): BulkChange | undefined {
  const rest = Object.entries(body).filter(([field]) => !fields.includes(field));
  if (rest.length === Object.keys(body).length) return undefined;
  if (rest.every(([field]) => field === 'id' || field === 'version')) return undefined;
  return Object.fromEntries(rest) as BulkChange;
}
