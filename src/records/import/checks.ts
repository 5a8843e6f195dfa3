import type { StatementResult, Statement } from '../../db/statement.ts';
import type { BrokenRuleByField } from '../../errors.ts';
import type { CallerRequest } from '../../http/caller-request.ts';
import { createNoAccessError, checkRecordVisibility, type RecordKey } from '../../http/visibility.ts';
import type { RecordDefinition } from '../record.ts';
import { ProblemList, type ReceivedRow } from './given.ts';
import type { TurnAwaiter } from './turns.ts';
import { rule, type ProblemRule } from '../../problems.ts';
import { IMPORT_BATCH_ROWS, IMPORT_BATCH_CHARACTERS, MAX_CHECKED_REFERENCES } from '../../limits.ts';

export interface RecordLine {
  readonly row: ReceivedRow;
  readonly body: Readonly<Record<string, unknown>> & { readonly id: string };
}

type SingleStatementRunner = (statement: Statement) => Promise<StatementResult>;

export interface ImportRules {
  readonly of: RecordDefinition;
  /** For each column with a parent's id: the parent's table, and the column with the client's id in that table. */
  readonly parents: Readonly<Record<string, { readonly table: string; readonly client: string }>>;
  readonly constraints?: Readonly<Record<string, BrokenRuleByField>>;
  /** Tells the records apart: two lines with the same text are the same record, and undefined is like no other. */
  readonly identity?: {
    readonly of: (body: RecordLine['body']) => string | undefined;
    readonly field: string;
    readonly rule: ProblemRule;
  };
}

export async function* splitIntoBatches(
  lines: readonly RecordLine[],
  nextTurn: TurnAwaiter,
): AsyncGenerator<{ readonly from: number; readonly json: string }> {
  let [from, length] = [0, 0];
  let batch: string[] = [];
  for (const { body } of lines) {
    await nextTurn();
    const json = JSON.stringify(body);
    if (batch.length === IMPORT_BATCH_ROWS || (length > 0 && length + json.length > IMPORT_BATCH_CHARACTERS)) {
      yield { from, json: `[${batch.join(',')}]` };
      from += batch.length;
      [batch, length] = [[], 0];
    }
    batch.push(json);
    length += json.length;
  }
  if (batch.length > 0) yield { from, json: `[${batch.join(',')}]` };
}

/** @throws RequestError with the status that a single creation would get: 403, 404 or 409 */
export async function refuseInaccessibleParents(
  lines: readonly RecordLine[],
  { parents }: ImportRules,
  request: CallerRequest,
  run: SingleStatementRunner,
): Promise<void> {
  for (const [field, { table, client }] of Object.entries(parents)) {
    const ids = lines.map(({ body }) => String(body[field]));
    const clients = lines.map(({ body }) => String(body['client_id']));
    const { rows } = await run({
      text: `
select n.id, n.client, r.id is not null
from (select distinct l.id, l.client from unnest($1::uuid[], $2::uuid[]) as l (id, client)) as n
left join public.${table} as r on r.id = n.id
where r.id is null or r.${client} <> n.client`,
      values: [ids, clients],
    });
    if (rows.length === 0) continue;
    const foreign = new Set(rows.flatMap(([id, of, isVisible]) => (isVisible === 't' ? [`${id} ${of}`] : [])));
    const missing = new Set(rows.flatMap(([id, , isVisible]) => (isVisible === 't' || id == null ? [] : [id])));
    // Looks up at most MAX_CHECKED_REFERENCES ids, because the response only counts further problems.
    const reported = [...new Set(ids)].filter((id) => missing.has(id)).slice(0, MAX_CHECKED_REFERENCES);
    await refuseForeignRecords(
      reported.map((id) => ({ table, id })),
      request,
    );
    const problems = new ProblemList();
    for (const [index, { row }] of lines.entries()) {
      const id = ids[index] ?? '';
      if (missing.has(id)) problems.add(row.position, field, rule('no_such_record'));
      else if (foreign.has(`${id} ${clients[index]}`)) problems.add(row.position, field, rule('of_another_client'));
    }
    problems.throwIfAny(missing.size > 0 ? 'ERROR_NOT_FOUND' : 'ERROR_CONFLICT');
  }
}

/** @throws RequestError ERROR_FORBIDDEN for the first record of another tenant */
async function refuseForeignRecords(named: readonly RecordKey[], request: CallerRequest): Promise<void> {
  for (const [index, { isOwn, exists, client }] of (await checkRecordVisibility(named, request)).entries())
    if (exists && !isOwn) throw createNoAccessError(named[index], client);
}

/** @throws RequestError ERROR_CONFLICT with each line that repeats the record of an earlier line */
export async function refuseRepeatedRecords(
  lines: readonly RecordLine[],
  { identity }: ImportRules,
  nextTurn: TurnAwaiter,
): Promise<void> {
  if (identity === undefined) return;
  const problems = new ProblemList();
  const seen = new Set<string>();
  for (const { row, body } of lines) {
    await nextTurn();
    const key = identity.of(body);
    if (key === undefined) continue;
    if (seen.has(key)) problems.add(row.position, identity.field, identity.rule);
    seen.add(key);
  }
  problems.throwIfAny('ERROR_CONFLICT');
}

/** Checks every line of the import against the table's check constraints. @throws RequestError ERROR_VALIDATION */
export async function refuseBrokenConstraints(
  lines: readonly RecordLine[],
  { of, constraints = {} }: ImportRules,
  run: SingleStatementRunner,
  nextTurn: TurnAwaiter,
): Promise<void> {
  const { rows } = await run({
    text: `
select c.conname, pg_get_expr(c.conbin, c.conrelid)
from pg_constraint as c
where c.conrelid = $1::regclass and c.contype = 'c'
order by c.conname`,
    values: [`public.${of.table}`],
  });
  if (rows.length === 0) return;
  const problems = new ProblemList();
  for await (const { from, json } of splitIntoBatches(lines, nextTurn)) {
    const broken = await run({
      text: `
select n.line, c.name
from (
    select (l.ordinality - 1)::integer as line, n.*
    from jsonb_array_elements($1::jsonb) with ordinality as l (value, ordinality)
    cross join lateral jsonb_populate_record(null::public.${of.table}, l.value) as n
) as n
cross join lateral (values ${rows.map(([name, holds]) => `('${String(name)}', ${String(holds)})`).join(', ')}) as c (name, holds)
where c.holds is false
order by n.line, c.name`,
      values: [json],
    });
    for (const [line, name] of broken.rows) {
      const row = lines[from + Number(line)]?.row;
      const rules = constraints[String(name)] ?? { '': rule('breaks_rule', { rule: String(name) }) };
      for (const [field, broken] of Object.entries(rules)) problems.add(row?.position, field, broken);
    }
  }
  problems.throwIfAny();
}
