import { z } from 'zod';
import { endpoint, computeSqlLimit, type ListQuery } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { MANAGER_ROLES, ROLES, type Caller, type Role } from '../identity/caller.ts';
import * as column from '../records/column.ts';
import { createCursorFormat } from '../records/cursor.ts';
import { filterByAny, filterByAnyOrNone, filterCondition } from '../records/filters.ts';
import { buildWhereClause } from '../records/list-forms.ts';
import { collectParameters } from '../records/parameters.ts';
import { record } from '../records/record.ts';
import { TODAY_SQL } from '../records/summary.ts';
import { assignee } from './assignees.ts';
import { client } from './clients.ts';
import { creditedSql } from './invoices.ts';
import { reclamation } from './reclamation-record.ts';

/* Deadlines of claims, of tasks, of unpaid invoices and of partners' bills; docs/decisions/deadlines.md */

export const deadlineKind = field.enumOf('DeadlineKind');
export type DeadlineKind = z.output<typeof deadlineKind>;
const CLAIM_DEADLINE_KINDS: ReadonlySet<DeadlineKind> = new Set([
  ...(['claim', 'response', 'silence', 'regularisation', 'court', 'appeal', 'relief', 'task'] as const),
]);

interface DayRange {
  readonly within: string;
  readonly passed: string;
}

/** Each condition compares a column of an index with the first and the last day of the range. */
const isInDays = (column: string, { within, passed }: DayRange): string =>
  `${column} between ${TODAY_SQL} - ${passed}::integer and ${TODAY_SQL} + ${within}::integer`;
const isInTimes = (column: string, { within, passed }: DayRange): string =>
  `${column} >= (${TODAY_SQL} - ${passed}::integer)::timestamp at time zone 'Europe/Paris'
        and ${column} < (${TODAY_SQL} + ${within}::integer + 1)::timestamp at time zone 'Europe/Paris'`;
/** Limits the claim deadline, which is in an index, to the years from which app.relief_day counts to a day of the range. */
const isFourYearsBefore = (column: string, { within, passed }: DayRange): string =>
  `${column} >= date_trunc('year', (${TODAY_SQL} - ${passed}::integer)::timestamp - interval '4 years')::date
        and ${column} < (date_trunc('year', (${TODAY_SQL} + ${within}::integer)::timestamp) - interval '3 years')::date`;

const selectOfClaims = (kind: DeadlineKind, condition: string): string => `
    select
        d.kind, ${kind === 'task' ? 'd.note_id' : 'd.reclamation_id'} as id, d.due_on, d.missing, d.client_id,
        d.reclamation_id, d.assignee_id, d.status, d.amount
    from app.claim_deadlines as d
    where d.kind = '${kind}' and ${condition}`;

/** Each kind has one select for each way in which an index finds its rows. */
const DEADLINE_SELECTS: Readonly<Record<DeadlineKind, (window: DayRange) => readonly string[]>> = {
  claim: (window) => [selectOfClaims('claim', isInDays('d.due_on', window))],
  response: (window) => [selectOfClaims('response', isInTimes('d.due_at', window))],
  silence: (window) => [selectOfClaims('silence', isInTimes('d.due_at', window))],
  regularisation: (window) => [selectOfClaims('regularisation', isInDays('d.due_on', window))],
  court: (window) => [selectOfClaims('court', isInDays('d.due_on', window))],
  appeal: (window) => [selectOfClaims('appeal', isInDays('d.due_on', window))],
  relief: (window) => [
    selectOfClaims('relief', `${isFourYearsBefore('d.runs_from', window)} and ${isInDays('d.due_on', window)}`),
  ],
  task: (window) => [selectOfClaims('task', isInDays('d.due_on', window))],
  invoice: (window) => [
    `
    select
        'invoice' as kind, f.id, f.due_date as due_on, '{}'::text[] as missing, f.client_id, f.reclamation_id,
        null::uuid as assignee_id, f.status,
        f.amount_incl_tax${creditedSql('f')} as amount
    from public.factures as f
    where f.status = 'ISSUED' and f.credits_id is null and ${isInDays('f.due_date', window)}`,
  ],
  partner_invoice: (window) => [
    `
    select
        'partner_invoice' as kind, b.id, b.due_date as due_on, '{}'::text[] as missing, b.client_id,
        null::uuid as reclamation_id, null::uuid as assignee_id, b.status, b.amount_incl_tax as amount
    from public.partner_invoices as b
    where b.status in ('RECEIVED', 'VALIDATED') and ${isInDays('b.due_date', window)}`,
  ],
};

/** The kinds of which the last day may be unknown, with the column of the index that has the claims without it. */
const UNDATED_COLUMNS: Readonly<Partial<Record<DeadlineKind, string>>> = {
  claim: 'd.due_on',
  response: 'd.due_at',
  regularisation: 'd.due_on',
  court: 'd.due_on',
  appeal: 'd.due_on',
  relief: 'd.runs_from',
};

/** Roles that may not read partners' bills get no select for bills. */
export function selectEachKind(kinds: readonly DeadlineKind[], role: Role, window: DayRange): readonly string[] {
  return kinds
    .filter((kind) => kind !== 'partner_invoice' || MANAGER_ROLES.includes(role))
    .flatMap((kind) => DEADLINE_SELECTS[kind](window));
}

/** The deadlines of `selectEachKind`, every silence since it began, and the claims of which a last day is not known. */
export function selectEachKindAndUndated(
  kinds: readonly DeadlineKind[],
  role: Role,
  window: DayRange,
): readonly string[] {
  return [
    ...selectEachKind(
      kinds.filter((kind) => kind !== 'silence'),
      role,
      window,
    ),
    ...(kinds.includes('silence') ? [selectOfClaims('silence', 'true')] : []),
    ...kinds.flatMap((kind) => {
      const column = UNDATED_COLUMNS[kind];
      return column === undefined ? [] : [selectOfClaims(kind, `${column} is null`)];
    }),
  ];
}

const claimId = column.withMeta(column.nullable(column.uuid), {
  description: 'Null for a partner’s bill and for an invoice without a claim.',
});

const deadline = record('Deadline', 'reclamations', {
  kind: column.readOnlyWithDescription(column.enumText(deadlineKind), 'Kind of the deadline.'),
  id: column.readOnlyWithDescription(
    column.uuid,
    'Id of the claim, of the note of the task, of the invoice or of the partner’s bill, depending on kind.',
  ),
  due_on: column.readOnlyWithDescription(
    column.nullable(column.date),
    'Last day, in Europe/Paris; null if unknown: missing then lists the fields to enter.',
  ),
  days_left: column.readOnlyWithDescription(
    column.nullable(column.integer),
    'Days from today until due_on, in Europe/Paris: 0 on the last day, negative afterwards; null if due_on is unknown.',
  ),
  missing: column.readOnlyWithDescription(
    column.textArray,
    'Fields of the claim that must be entered because due_on is unknown or an estimate; otherwise empty.',
  ),
  client_id: column.reference('client', client.label, column.readOnly(column.uuid)),
  reclamation_id: column.reference('reclamation', reclamation.label, column.readOnly(claimId)),
  assignee_id: column.reference('assignee', assignee.label, column.readOnly(column.nullable(column.uuid))),
  status: column.readOnlyWithDescription(
    column.text(50),
    'Status of the claim (for a task, of its claim), of the invoice or of the bill.',
  ),
  amount: column.readOnlyWithDescription(
    column.decimal,
    'In euros: the amount of the claim, or the unpaid amount of the invoice or bill, including VAT and less credit notes.',
  ),
});

const deadlineFilters = {
  client_id: filterByAny(field.uuid, 'u.client_id = $'),
  reclamation_id: filterByAny(field.uuid, 'u.reclamation_id = $'),
  assignee_id: filterByAnyOrNone('u.assignee_id', ''),
};

const KIND_DESCRIPTION =
  'Return only deadlines of these kinds. claim: last day to submit a claim that is DRAFT, READY_FOR_REVIEW or APPROVED. response: last day for the answer of the administration to a claim that is SUBMITTED, ACKNOWLEDGED or REGULARISATION_REQUESTED. silence: the response day has passed without an answer, so that the client can go to court at any time. regularisation: last day to complete a claim that is REGULARISATION_REQUESTED. court: last day to go to court with a claim that is REJECTED or PARTIALLY_ACCEPTED and has not been before a court. appeal: last day to go to the next court with a claim that is REJECTED or PARTIALLY_ACCEPTED after a judgment of the TA or the CAA. relief: last day for the administration to grant relief of its own motion for a claim that is REJECTED, or that is DRAFT, READY_FOR_REVIEW or APPROVED after its claim deadline. task: last day of an open task, whatever the status of its claim. invoice: due date of an ISSUED invoice. partner_invoice: due date of a bill that is RECEIVED or VALIDATED. A claim in LITIGATION, or that is ACCEPTED, REFUNDED, WITHDRAWN or CLOSED, has no deadline besides its tasks; neither have invoices that are DRAFT, PAID or CANCELLED, and bills that are DISPUTED or PAID.';

const deadlinesQuery = z.strictObject({
  within: field.describeParameter(
    field.integerParameterWithDefault(0, 3660, 30),
    'Return only deadlines that are at most this many days ahead, or whose day is unknown.',
  ),
  passed: field.describeParameter(
    field.integerParameterWithDefault(0, 3660, 0),
    'Also return deadlines that passed at most this many days ago and are still open. Deadlines of kind silence are always returned.',
  ),
  kind: field.describeParameter(field.distinctListOf(deadlineKind), KIND_DESCRIPTION).optional(),
  client_id: field
    .describeParameter(deadlineFilters.client_id.rule, 'Return only deadlines of this client.')
    .optional(),
  reclamation_id: field
    .describeParameter(
      deadlineFilters.reclamation_id.rule,
      'Return only deadlines of this claim, its tasks and its invoices.',
    )
    .optional(),
  assignee_id: field
    .describeParameter(
      deadlineFilters.assignee_id.rule,
      'Return only deadlines of claims and tasks assigned to this user; `none` for unassigned ones. Deadlines of invoices and bills are left out.',
    )
    .optional(),
  ...deadline.expansion.query,
  limit: field.pageParameters.limit,
  after: field.pageParameters.after,
});

const deadlinesCursor = createCursorFormat(['deadlines'], [true, false, false]);

function selectDeadlines(requested: z.output<typeof deadlinesQuery>, { role }: Caller): ListQuery {
  const { values, add } = collectParameters();
  const window = { within: add(requested.within), passed: add(requested.passed) };
  const kinds = (requested.kind ?? deadlineKind.options).filter(
    (kind) => requested.assignee_id === undefined || CLAIM_DEADLINE_KINDS.has(kind),
  );
  const selects = selectEachKindAndUndated(kinds, role, window);
  const union = selects.length === 0 ? DEADLINE_SELECTS.invoice(window) : selects;
  const conditions = [
    ...(selects.length === 0 ? ['false'] : []),
    ...(['client_id', 'reclamation_id', 'assignee_id'] as const).flatMap((name) =>
      requested[name] === undefined ? [] : [filterCondition(deadlineFilters[name], requested[name], add)],
    ),
  ];
  if (requested.after !== undefined) {
    const [due, kind = '', id = ''] = deadlinesCursor.read(requested.after);
    const [last, lastId] = [`${add(kind)}::text`, `${add(id)}::uuid`];
    conditions.push(
      due == null
        ? `(u.due_on is not null or (u.kind, u.id) > (${last}, ${lastId}))`
        : `(u.due_on, u.kind, u.id) > (${add(due)}::date, ${last}, ${lastId})`,
    );
  }
  const order = 'order by r.due_on nulls first, r.kind, r.id';
  const rows = `
select r.*
from (
    select
        u.kind, u.id, u.due_on, u.due_on - ${TODAY_SQL} as days_left, u.missing, u.client_id, u.reclamation_id,
        u.assignee_id, u.status, u.amount
    from (${union.join('\n    union all')}
    ) as u
    ${buildWhereClause(conditions)}
) as r
${order}
limit ${add(computeSqlLimit(requested.limit))}`;
  const { expand = [] } = requested;
  return {
    records: { text: deadline.expansion.around(rows, expand, order), values },
    limit: requested.limit,
    cursor: ([kind, id, due]) => deadlinesCursor.of([due, kind, id]),
    of: deadline.expansion.shape(deadline, expand),
  };
}

export const deadlinesEndpoint = endpoint({
  tag: 'Deadlines',
  resource: 'reclamations',
  of: deadline,
  method: 'get',
  path: '/api/deadlines',
  summary: 'List the deadlines of the caller’s clients; unknown days first, then the nearest',
  roles: ROLES,
  query: deadlinesQuery,
  list: ({ query }, caller) => selectDeadlines(query, caller),
});
