import { z } from 'zod';
import { sqlState } from '../db/errors.ts';
import type { Statement } from '../db/statement.ts';
import type { RunStatements } from '../db/transaction.ts';
import { problemsFromRules, RequestError, type ErrorCode, type Problem, type Rules } from '../errors.ts';
import type { CallerRequest } from '../http/caller-request.ts';
import { runOnce } from '../http/creation.ts';
import type { Reply, Row } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { noAccessError, visibilityOf, type RecordKey } from '../http/visibility.ts';
import { FIXED_FIELD, RecordNotFound, GENERAL_CONFLICT } from '../http/explain-error.ts';
import { MAX_BULK_CHANGES, MAX_LISTED_PROBLEMS } from '../limits.ts';
import { rule, type Rule } from '../problems.ts';
import type { Given, Rules as ImportRules } from './import/checks.ts';
import { Problems } from './import/given.ts';
import { tried } from './import/import.ts';
import { refusalOf } from './import/refusals.ts';
import { turnsOf } from './import/turns.ts';
import type { Rec } from './record.ts';
import { locking } from './statements.ts';

/* Changes of many records with a status, all or none; docs/decisions/bulk-changes.md */

interface ManyOptions extends Pick<ImportRules, 'of' | 'constraints'> {
  readonly references: Readonly<Record<string, string>>;
}

type Change = Given['body'];

export function bodyOfMany(of: Rec) {
  const meta = of.changeBody.meta();
  const example = { id: of.exampleId, ...(meta?.['example'] as object) };
  const version = field.timestamp
    .describe('Its updated_at as it was read: 412 if the record has changed since.')
    .optional();
  const one = of.changeBody
    .extend({ id: field.uuid, version })
    .meta({ ...meta, id: `${of.name}ChangeOfMany`, example }) as unknown as z.ZodType<Change>;
  const changes = z
    .array(one, rule('not_a_list'))
    .min(1, rule('empty'))
    .max(MAX_BULK_CHANGES, rule('too_many_items', { max: MAX_BULK_CHANGES }))
    .describe('Each of another record; all are made, or none.');
  return z.strictObject({ changes }).meta({ id: `${of.name}Changes`, example: { changes: [example] } });
}

class Untouched extends Error {}

export async function changeMany(
  options: ManyOptions,
  changes: readonly Change[],
  isDry: boolean,
  request: CallerRequest,
): Promise<Reply> {
  const { of, constraints = {} } = options;
  const lines = changes.map((body, index): Given => ({ row: { value: body, place: { index } }, body }));
  refuseTwice(lines);
  const ids = changes.map(({ id }) => id);
  const work = (run: RunStatements) => change(of, changes, run);
  try {
    const rows = isDry
      ? await tried(work, request)
      : await runOnce(request, { table: of.table, id: ids[0] ?? '' }, work, (run) => present(of, ids, run));
    return { status: 200, body: `[${rows.map((row) => of.write(row)).join(',')}]` };
  } catch (error) {
    if (!(error instanceof Untouched) && sqlState(error) === undefined) throw error;
    const untouched = await untouchedBy(of, lines, request);
    await refuseOutOfReach(of, referencedBy(options, lines, untouched), request);
    await refuseEach(of, lines, untouched, constraints, request);
    if (!(error instanceof Untouched)) throw error;
    const problems = problemsFromRules(GENERAL_CONFLICT);
    throw new RequestError('ERROR_CONFLICT', 'changed meanwhile', { problems });
  }
}

function refuseTwice(lines: readonly Given[]): void {
  const problems = new Problems();
  const given = new Set<string>();
  for (const { row, body } of lines) {
    if (given.has(body.id)) problems.add(row.place, 'id', rule('given_twice.record'));
    given.add(body.id);
  }
  problems.refuse();
}

const EACH = `jsonb_array_elements($1::jsonb) with ordinality as l (value, place)
cross join lateral jsonb_populate_record`;

/** SQL expressions for the reasons why a change touches no row: null or false where the reason does not apply. */
function reasonsOf({ version, fixed }: Rec) {
  return {
    stale: `${String(version)} <> (l.value ->> 'version')::timestamptz`,
    fixed: fixed.map((column) => `l.value ? '${column}' and r.${column} <> n.${column}`).join(' or '),
    status: `l.value ? 'status' and r.status = n.status and l.value - '{id,version,status}'::text[] = '{}'`,
  };
}

/**
 * Locks the parents, then the records, each in the order of their ids; answers in the order of the changes.
 * @throws Untouched where a record was not changed
 */
async function change(of: Rec, changes: readonly Change[], run: RunStatements): Promise<readonly Row[]> {
  const { rows } = await run(...locks(of, changes), updating(of, changes));
  if (rows.length !== changes.length) throw new Untouched();
  return rows.toSorted((one, other) => Number(one.at(-1)) - Number(other.at(-1)));
}

function locks(of: Rec, bodies: readonly Change[]): [...Statement[], Statement] {
  const ids = bodies.map(({ id }) => id);
  return [...of.locks(bodies), locking(of.table, ids, 'no key update')];
}

function updating(of: Rec, bodies: readonly Change[]): Statement {
  return {
    text: `
update public.${of.table} as r
set ${of.changed('l.value')}
from ${EACH}(null::public.${of.table}, l.value) as n
where r.id = n.id and (${Object.values(reasonsOf(of)).join(' or ')}) is not true
returning ${of.selected},
    l.place`,
    values: [JSON.stringify(bodies)],
  };
}

/** The records as a repeated request's caller sees them now. @throws RecordNotFound for a record that is out of sight now */
async function present(of: Rec, ids: readonly string[], run: RunStatements): Promise<readonly Row[]> {
  const { rows } = await run({
    text: `
select ${of.selected}
from unnest($1::uuid[]) with ordinality as l (id, place)
join public.${of.table} as r on r.id = l.id
order by l.place`,
    values: [ids],
  });
  const visible = new Set(rows.map(([id]) => id));
  const missing = ids.find((id) => !visible.has(id));
  if (missing !== undefined) throw new RecordNotFound({ table: of.table, id: missing });
  return rows;
}

interface Reason {
  readonly kind: 'unseen' | keyof ReturnType<typeof reasonsOf>;
  readonly from: string;
  readonly moves: readonly string[];
}

/** Finds the changes that the update would skip, and the reason for each. */
async function untouchedBy(
  of: Rec,
  lines: readonly Given[],
  request: CallerRequest,
): Promise<ReadonlyMap<Given, Reason>> {
  const reasons = Object.entries({ unseen: 'r.id is null', ...reasonsOf(of) });
  const { rows } = await request.run({
    text: `
select u.*, array_to_json(array(select m.to_status from app.moves('${of.table}', u.status) as m))
from (
    select l.place - 1, case ${reasons.map(([reason, holds]) => `when ${holds} then '${reason}'`).join(' ')} end as reason, r.status
    from ${EACH}(null::public.${of.table}, l.value) as n
    left join public.${of.table} as r on r.id = n.id
) as u (place, reason, status)
where u.reason is not null`,
    values: [JSON.stringify(lines.map(({ body }) => body))],
  });
  return new Map(
    rows.flatMap(([index, kind, from, moves]) => {
      const line = lines[Number(index)];
      const reason = { kind, from: from ?? '', moves: JSON.parse(moves ?? '[]') as string[] } as Reason;
      return line === undefined ? [] : [[line, reason] as const];
    }),
  );
}

type ReferencedRecord = Omit<Problem, 'rule'> & RecordKey;

/** The records that the caller does not see, and those that the changes name. Fixed columns are judged by `untouchedBy`. */
function referencedBy(
  { of, references }: ManyOptions,
  lines: readonly Given[],
  untouched: ReadonlyMap<Given, Reason>,
): readonly ReferencedRecord[] {
  return lines.flatMap((line) => {
    const { row, body } = line;
    const isUnseen = untouched.get(line)?.kind === 'unseen';
    const tables = { ...(isUnseen && { id: of.table }), ...references };
    return Object.entries(tables).flatMap(([field, table]) => {
      const id = body[field];
      return typeof id === 'string' && !of.fixed.includes(field)
        ? [{ position: row.place, field, table, id }]
        : [];
    });
  });
}

/** @throws RequestError for a record that is missing or another tenant's */
async function refuseOutOfReach(
  of: Rec,
  named: readonly ReferencedRecord[],
  request: CallerRequest,
): Promise<void> {
  const each = [...new Map(named.map((one) => [one.id, one])).values()].slice(0, MAX_LISTED_PROBLEMS);
  const absent = new Set<string>();
  for (const [index, { isOwn, exists, client }] of (await visibilityOf(each, request)).entries()) {
    const { table = '', id = '' } = each[index] ?? {};
    if (!exists) absent.add(id);
    else if (!isOwn) {
      if (table === of.table) Object.assign(request.state, { resource: table, resourceId: id });
      throw noAccessError(each[index], client);
    }
  }
  const problems = new Problems();
  for (const { id, position, field } of named)
    if (absent.has(id)) problems.add(position, field, rule('no_such_record'));
  problems.refuse('ERROR_NOT_FOUND');
}

/**
 * Makes each change after those before it, names what Postgres refuses, and undoes all of them. A refused change is tried
 * again without the refused fields, until each wrong field is named.
 * @throws RequestError where a change is refused
 */
async function refuseEach(
  of: Rec,
  lines: readonly Given[],
  untouched: ReadonlyMap<Given, Reason>,
  constraints: Readonly<Record<string, Rules>>,
  request: CallerRequest,
): Promise<void> {
  const nextTurn = turnsOf(request.incoming);
  const { problems, codes } = await tried(async (run, attempt) => {
    const problems = new Problems();
    const codes = new Set<ErrorCode>();
    await run(
      ...locks(
        of,
        lines.map(({ body }) => body),
      ),
    );
    for (const line of lines) {
      const reason = untouched.get(line);
      if (reason !== undefined) {
        codes.add(reason.kind === 'stale' ? 'ERROR_PRECONDITION_FAILED' : 'ERROR_CONFLICT');
        for (const [field, broken] of rulesOf(reason, of, line)) problems.add(line.row.place, field, broken);
        continue;
      }
      for (let body: Change | undefined = line.body; body !== undefined; ) {
        await nextTurn();
        const error = await attempt(updating(of, [body]));
        if (error === undefined) break;
        const refusal = refusalOf(error, constraints);
        if (refusal === undefined) throw error;
        codes.add(refusal.code);
        for (const [field, broken] of Object.entries(refusal.rules))
          problems.add(line.row.place, field, broken);
        body = without(Object.keys(refusal.rules), body);
      }
    }
    return { problems, codes };
  }, request);
  const code = CODES.find((one) => codes.has(one));
  problems.refuse(code);
}

/** The code of several refusals is the first of these. */
const CODES = ['ERROR_PRECONDITION_FAILED', 'ERROR_CONFLICT'] as const;

function rulesOf({ kind, from, moves }: Reason, of: Rec, { body }: Given): readonly [string, Rule][] {
  if (kind === 'stale') return [['version', rule('changed_since')]];
  if (kind === 'status') return [['status', rule('already', { from, moves })]];
  return of.fixed.filter((column) => body[column] !== undefined).map((column) => [column, FIXED_FIELD]);
}

/** The change without the fields; undefined where it is the same, or changes nothing any more. */
function without(fields: readonly string[], body: Change): Change | undefined {
  const left = Object.entries(body).filter(([field]) => !fields.includes(field));
  const isSame = left.length === Object.keys(body).length;
  if (isSame || left.every(([field]) => field === 'id' || field === 'version')) return undefined;
  return Object.fromEntries(left) as Change;
}
