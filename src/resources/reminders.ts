import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import type { Reminder } from '../db/reminders.ts';
import type { Statement } from '../db/statement.ts';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { MANAGER_ROLES, ROLES } from '../identity/caller.ts';
import { MAX_REMINDER_DEADLINES } from '../limits.ts';
import type { DueItem } from '../outbox/reminder-mail.ts';
import { rule } from '../problems.ts';
import { deadlineKind, selectEachKindAndUndated } from './deadlines.ts';

/* A user's settings for reminder mails, and the deadlines in a mail; docs/decisions/reminders.md */

const settings = {
  language: field.enumOf('Language'),
  kinds: z
    .array(deadlineKind, rule('not_a_list'))
    .max(deadlineKind.options.length, rule('too_many_items', { max: deadlineKind.options.length }))
    .overwrite((kinds) => deadlineKind.options.filter((kind) => kinds.includes(kind)))
    .meta({ description: 'Kinds of deadlines in reminder mails; an empty list turns the mails off.' }),
  only_mine: z
    .boolean(rule('not_true_or_false'))
    .meta({ description: 'If true, the mails have only claims and tasks assigned to the caller.' }),
};

const settingsSchema = z.strictObject(settings).meta({ id: 'Reminders', 'x-table': 'users', 'x-said': {} });

/** A caller who has no row in users gets the default settings. */
const READ_SETTINGS: Statement = {
  text: `
select json_build_object(
    'language', coalesce(u.language, 'fr'),
    'kinds', coalesce(u.reminder_kinds, $1::text[]),
    'only_mine', coalesce(u.reminders_only_mine, false)
)
from (values (app.user_id())) as me (id)
left join public.users as u on u.id = me.id`,
  values: [deadlineKind.options],
};

const reminderOptions = {
  tag: 'Users',
  resource: 'users',
  path: '/api/users/me/reminders',
  roles: ROLES,
  responses: { 200: settingsSchema },
} as const;

export const reminderEndpoints = [
  endpoint({
    ...reminderOptions,
    method: 'get',
    operationId: 'getReminders',
    summary: 'Get the caller’s settings for reminder mails',
    handle: async (_input, request) => {
      const { rows } = await request.run(READ_SETTINGS);
      return { status: 200, body: rows[0]?.[0] ?? '' };
    },
  }),
  endpoint({
    ...reminderOptions,
    method: 'put',
    operationId: 'chooseReminders',
    summary: 'Update the caller’s settings for reminder mails',
    body: z
      .strictObject(settings)
      .partial()
      .meta({ id: 'RemindersChange', 'x-table': 'users', 'x-said': {}, example: { language: 'en', only_mine: true } }),
    constraints: { users_not_stored: { id: rule('not_stored') } },
    handle: async ({ body: { language, kinds, only_mine: onlyMine } }, request) => {
      const choice = {
        text: 'select app.choose_reminders($1, $2, $3)',
        values: [language ?? null, kinds ?? null, onlyMine ?? null],
      };
      const { rows } = await request.run([choice, READ_SETTINGS]);
      return { status: 200, body: rows[0]?.[0] ?? '' };
    },
  }),
];

/** The numbers of days before a due date on which a mail lists a deadline; -1 is the day after the due date. */
const REMINDER_DAYS = '{30,14,7,1,-1}';
const TASK_REMINDER_DAYS = '{30,14,7,1,0,-1}';
/** The range of days that the query reads, with a few extra days, because today's date depends on the time zone. */
const REMINDER_DAY_RANGE = { within: '32', passed: '33' } as const;

function selectDueItems({ caller: { role }, kinds, day, remindedUntil, onlyMine }: Reminder): Statement | undefined {
  const wanted = deadlineKind.options.filter((kind) => kinds.includes(kind));
  const selects = selectEachKindAndUndated(wanted, role, REMINDER_DAY_RANGE);
  if (selects.length === 0) return undefined;
  const bill = `
        when d.kind = 'partner_invoice' then (select b.number from public.partner_invoices as b where b.id = d.id)`;
  const includesBills = wanted.includes('partner_invoice') && MANAGER_ROLES.includes(role);
  const text = `
select
    d.kind, d.id, d.reclamation_id, d.due_on, d.due_on - $1::date, array_to_string(d.missing, ','), c.company_name,
    case
        when d.kind = 'task' then (select n.text from public.notes as n where n.id = d.id)
        when d.kind = 'invoice' then (select f.number from public.factures as f where f.id = d.id)${includesBills ? bill : ''}
    end,
    r.claim_type, r.tax_year, r.notice_reference, count(*) over ()
from (${selects.join('\n    union all')}
) as d
join public.clients as c on c.id = d.client_id
left join public.reclamations as r on r.id = d.reclamation_id
where case
        -- An unknown day is told each Monday until it is known.
        when d.due_on is null then date_trunc('week', $1::date::timestamp)::date > $2::date
        else exists (
            select
            from unnest(case d.kind when 'task' then '${TASK_REMINDER_DAYS}' else '${REMINDER_DAYS}' end::integer[]) as t (days)
            where d.due_on - t.days > $2::date and d.due_on - t.days <= $1::date
        )
    end
    and (not $3::boolean or d.assignee_id = app.user_id())
order by d.due_on nulls first, c.company_name, d.kind, d.id
limit $4`;
  return { text, values: [day, remindedUntil, onlyMine, MAX_REMINDER_DEADLINES] };
}

/** Reads the deadlines for a reminder mail with the role, clients and row policies of the mail's user. */
export async function readDueDeadlines(database: Pick<Database, 'run'>, reminder: Reminder) {
  const statement = selectDueItems(reminder);
  if (statement === undefined) return { due: [], count: 0 };
  const context = {
    caller: reminder.caller,
    requestId: `reminder-${randomUUID()}`,
    action: 'reminders',
    ipAddress: '',
    userAgent: '',
    readOnly: true,
  };
  const [result] = await database.run(context, [statement]);
  const rows = result?.rows ?? [];
  const due = rows.map(
    ([kind, id, reclamationId, dueOn, daysLeft, missing, clientName, about, type, year, notice]): DueItem => ({
      kind: deadlineKind.parse(kind),
      id: String(id),
      reclamationId: reclamationId ?? undefined,
      due: dueOn == null ? undefined : { day: dueOn, daysLeft: Number(daysLeft) },
      missing: missing == null || missing === '' ? [] : missing.split(','),
      clientName: String(clientName),
      about: about ?? undefined,
      claim: type == null ? undefined : { type, year: year ?? undefined, notice: notice ?? undefined },
    }),
  );
  return { due, count: Number(rows[0]?.at(-1) ?? 0) };
}
