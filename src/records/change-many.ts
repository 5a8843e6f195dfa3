import { z } from 'zod';
import { sqlState } from '../db/errors.ts';
import type { Statement } from '../db/statement.ts';
import type { Run } from '../db/transaction.ts';
import { problemsFromRules, RequestError, type Problem } from '../errors.ts';
import type { CallerRequest } from '../http/caller-request.ts';
import { once } from '../http/creation.ts';
import type { Reply, Row } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { FIXED, foreign, NothingFound, UNEXPLAINED, visibilityOf } from '../http/why-not.ts';
import { CHANGES, IMPORT_LOOKED_UP } from '../limits.ts';
import { rule } from '../problems.ts';
import type { Given, Rules } from './import/checks.ts';
import { Problems } from './import/given.ts';
import { tried } from './import/import.ts';
import { refuseByLine } from './import/refusals.ts';
import { turnsOf } from './import/turns.ts';
import type { Rec } from './record.ts';
import { locking } from './statements.ts';

/* Changes of many records with a status, all or none; docs/decisions/bulk-changes.md */

interface ManyOptions extends Pick<Rules, 'of' | 'constraints'> {
  readonly references: Readonly<Record<string, string>>;
}

type Change = Given['body'];

export function bodyOfMany(of: Rec) {
  const meta = of.changeBody.meta();
  const example = { id: of.exampleId, ...(meta?.['example'] as object) };
  const version = field.moment
    .describe('Its updated_at as it was read: 412 if the record has changed since.')
    .optional();
  const one = of.changeBody
    .extend({ id: field.uuid, version })
    .meta({ ...meta, id: `${of.name}ChangeOfMany`, example }) as unknown as z.ZodType<Change>;
  const changes = z
    .array(one, rule('not_a_list'))
    .min(1, rule('empty'))
    .max(CHANGES, rule('too_many_items', { max: CHANGES }))
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
  const work = (some: readonly Given[]) => (run: Run) => change(of, some, run);
  try {
    const rows = isDry
      ? await tried(work(lines), request)
      : await once(request, { table: of.table, id: ids[0] ?? '' }, work(lines), (run) =>
          present(of, ids, run),
        );
    return { status: 200, body: `[${rows.map((row) => of.write(row)).join(',')}]` };
  } catch (error) {
    if (!(error instanceof Untouched) && sqlState(error) === undefined) throw error;
    await refuseUntouched(of, lines, request);
    if (error instanceof Untouched)
      throw new RequestError('ERROR_CONFLICT', 'changed meanwhile', {
        problems: problemsFromRules(UNEXPLAINED),
      });
    await refuseOutOfReach(of, namedIn(options, lines), request);
    const nextTurn = turnsOf(request.incoming);
    const attempt = async (some: readonly Given[]): Promise<void> => {
      await nextTurn();
      await tried(work(some), request).catch((failed: unknown) => {
        if (!(failed instanceof Untouched)) throw failed;
      });
    };
    await refuseByLine(error, lines, { constraints, areAlike: false }, attempt);
    throw error;
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
async function change(of: Rec, lines: readonly Given[], run: Run): Promise<readonly Row[]> {
  const bodies = lines.map(({ body }) => body);
  const update: Statement = {
    text: `
update public.${of.table} as r
set ${of.changed('l.value')}
from ${EACH}(null::public.${of.table}, l.value) as n
where r.id = n.id and (${Object.values(reasonsOf(of)).join(' or ')}) is not true
returning ${of.selected},
    l.place`,
    values: [JSON.stringify(bodies)],
  };
  const records = bodies.map(({ id }) => id);
  const { rows } = await run(...of.locks(bodies), locking(of.table, records, 'no key update'), update);
  if (rows.length !== lines.length) throw new Untouched();
  return rows.toSorted((one, other) => Number(one.at(-1)) - Number(other.at(-1)));
}

/** The records as a repeated request's caller sees them now. @throws NothingFound for a record that is out of sight now */
async function present(of: Rec, ids: readonly string[], run: Run): Promise<readonly Row[]> {
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
  if (missing !== undefined) throw new NothingFound({ table: of.table, id: missing });
  return rows;
}

/** Refuses missing, foreign and meanwhile changed records, and changes of fixed columns. @throws RequestError */
async function refuseUntouched(of: Rec, lines: readonly Given[], request: CallerRequest): Promise<void> {
  const reasons = Object.entries({ unseen: 'r.id is null', ...reasonsOf(of) });
  const { rows } = await request.run({
    text: `
select u.*, array_to_json(array(select m.to_status from app.moves('${of.table}', u.status) as m))
from (
    select l.place - 1, case ${reasons.map(([reason, holds]) => `when ${holds} then '${reason}'`).join(' ')} end as reason, r.status
    from ${EACH}(null::public.${of.table}, l.value) as n
    left join public.${of.table} as r on r.id = n.id
) as u (place, reason, status)
where u.reason is not null
order by u.place`,
    values: [JSON.stringify(lines.map(({ body }) => body))],
  });
  const found = rows.flatMap(([index, reason, from, moves]) => {
    const line = lines[Number(index)];
    return line === undefined ? [] : [{ ...line, reason, from: from ?? '', moves: moves ?? '[]' }];
  });
  const unseen = found.filter(({ reason }) => reason === 'unseen');
  const named = unseen.map(({ row, body }) => ({ ...row, table: of.table, id: body.id, field: 'id' }));
  await refuseOutOfReach(of, named, request);
  const problems = new Problems();
  for (const { row, body, reason, from, moves } of found)
    if (reason === 'stale') problems.add(row.place, 'version', rule('changed_since'));
    else if (reason === 'status')
      problems.add(row.place, 'status', rule('already', { from, moves: JSON.parse(moves) as string[] }));
    else if (reason === 'fixed')
      for (const column of of.fixed) if (body[column] !== undefined) problems.add(row.place, column, FIXED);
  const isStale = found.some(({ reason }) => reason === 'stale');
  problems.refuse(isStale ? 'ERROR_PRECONDITION_FAILED' : 'ERROR_CONFLICT');
}

type ReferencedRecord = Omit<Problem, 'rule'> & { readonly table: string; readonly id: string };

function namedIn({ references }: ManyOptions, lines: readonly Given[]): ReferencedRecord[] {
  return lines.flatMap(({ row, body }) =>
    Object.entries(references).flatMap(([field, table]) => {
      const id = body[field];
      return typeof id === 'string' ? [{ place: row.place, field, table, id }] : [];
    }),
  );
}

/** @throws RequestError for a record that is missing or another tenant's */
async function refuseOutOfReach(
  of: Rec,
  named: readonly ReferencedRecord[],
  request: CallerRequest,
): Promise<void> {
  const each = [...new Map(named.map((one) => [one.id, one])).values()].slice(0, IMPORT_LOOKED_UP);
  const absent = new Set<string>();
  for (const [index, { isOwn, exists, client }] of (await visibilityOf(each, request)).entries()) {
    const { table = '', id = '' } = each[index] ?? {};
    if (!exists) absent.add(id);
    else if (!isOwn) {
      if (table === of.table) Object.assign(request.state, { resource: table, resourceId: id });
      throw foreign(each[index], client);
    }
  }
  const problems = new Problems();
  for (const { id, position, field } of named)
    if (absent.has(id)) problems.add(position, field, rule('no_such_record'));
  problems.refuse('ERROR_NOT_FOUND');
}
