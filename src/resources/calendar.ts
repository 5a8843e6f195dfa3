import { randomBytes } from 'node:crypto';
import ical, { ICalCalendarMethod, ICalEventTransparency } from 'ical-generator';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { digestOfSecret } from '../db/document-links.ts';
import { sqlState } from '../db/errors.ts';
import type { Statement } from '../db/statement.ts';
import { RequestError } from '../errors.ts';
import { endpoint, publicEndpoint, type Row } from '../http/endpoint.ts';
import { calendarFile } from '../http/fields.ts';
import { createWeakEtag, replyUnlessNotModified } from '../http/preconditions.ts';
import { MANAGER_ROLES, ROLES, type Caller, type Role } from '../identity/caller.ts';
import { CALENDAR_AHEAD_DAYS, MAX_CALENDAR_EVENTS, CALENDAR_PAST_DAYS } from '../limits.ts';
import { convertToSingleLine, shortenToSingleLine } from '../single-line.ts';
import { rule } from '../problems.ts';
import { ENUM_LABELS, type BilingualLabels } from '../words.ts';
import { deadlineKind, selectEachKind } from './deadlines.ts';

/* A calendar of a user's deadlines and tasks, which other programs read at a secret URL; docs/decisions/calendars.md */

const SECRET_FORMAT = /^[\w-]{43}$/;

const CALENDAR_USER_SQL = `
select c.subject, c.user_id, c.role, array_to_string(c.client_access, ','), c.access_digest, c.issued_at
from app.calendar_user($1) as c`;

/** Finds the user of a calendar's secret URL and the user's rights; each transaction checks these rights again. */
async function findCalendarUser(secret: string, database: Database): Promise<Caller> {
  if (!SECRET_FORMAT.test(secret)) throw createNotFoundError();
  const { rows } = await database.callAsLogin({ text: CALENDAR_USER_SQL, values: [digestOfSecret(secret)] });
  const [subject, userId, said, clients, accessDigest, issuedAt] = rows[0] ?? [];
  const role = ROLES.find((known) => known === said);
  if (subject == null || userId == null || clients == null || accessDigest == null || !role)
    throw createNotFoundError();
  const clientAccess = clients === '' ? [] : clients.split(',');
  return {
    subject,
    userId,
    role,
    clientAccess,
    accessDigest,
    issuedAt: Number(issuedAt),
    email: undefined,
    name: undefined,
  };
}

/** Unknown URLs, revoked URLs and users without rights get the same 404, so that a caller cannot tell them apart. */
function createNotFoundError(cause?: unknown): RequestError {
  return new RequestError('ERROR_NOT_FOUND', 'the address opens no calendar', { kind: 'calendar', cause });
}

const REVOKED_RIGHTS_SQLSTATE = 'TX401';

/** Each row has the user's language and an event; a calendar without events has one row, with the language. */
function selectEvents(role: Role): Statement {
  // Reads partner bills only for managers, because other roles have no grant on partner_invoices.
  const canReadBills = MANAGER_ROLES.includes(role);
  return {
    text: `
select
    coalesce(u.language, 'fr'), d.kind, d.id, d.due_on, c.company_name, r.claim_type, r.tax_year, r.notice_reference,
    ${canReadBills ? 'coalesce(f.number, b.number)' : 'f.number'}, n.text,
    greatest(c.updated_at, r.updated_at, f.updated_at, ${canReadBills ? 'b.updated_at, ' : ''}n.updated_at)
from (values (app.user_id())) as me (id)
left join public.users as u on u.id = me.id
left join (
    select e.*
    from (${selectEachKind(deadlineKind.options, role, { passed: '$1', within: '$2' }).join('\n    union all')}
    ) as e
    order by e.due_on, e.kind, e.id
    limit $3
) as d on true
left join public.clients as c on c.id = d.client_id
left join public.reclamations as r on r.id = d.reclamation_id
left join public.factures as f on d.kind = 'invoice' and f.id = d.id
${canReadBills ? `left join public.partner_invoices as b on d.kind = 'partner_invoice' and b.id = d.id` : ''}
left join public.notes as n on d.kind = 'task' and n.id = d.id
order by d.due_on, d.kind, d.id`,
    values: [CALENDAR_PAST_DAYS, CALENDAR_AHEAD_DAYS, MAX_CALENDAR_EVENTS + 1],
  };
}

const CALENDAR_TEXTS = {
  fr: {
    name: 'Échéances',
    of: ' : ',
    end: `Fin du calendrier : plus de ${MAX_CALENDAR_EVENTS} échéances`,
    label: (words: BilingualLabels, word: string | null) => words[word ?? '']?.[0] ?? word,
  },
  en: {
    name: 'Deadlines',
    of: ': ',
    end: `End of the calendar: more than ${MAX_CALENDAR_EVENTS} deadlines`,
    label: (words: BilingualLabels, word: string | null) => words[word ?? '']?.[1] ?? word,
  },
} as const;

const MAX_TITLE_CHARACTERS = 100;

const joinParts = (parts: readonly (string | null | undefined)[], between: string): string =>
  convertToSingleLine(parts.filter((part) => part != null && part !== '').join(between));

/** Equal rows always give the same file, and so the same ETag. */
function writeCalendar(rows: readonly Row[]): string {
  const language = rows[0]?.[0] === 'en' ? 'en' : 'fr';
  const texts = CALENDAR_TEXTS[language];
  const calendar = ical({
    name: texts.name,
    prodId: { company: 'taxclaims', product: 'deadlines', language: language.toUpperCase() },
    method: ICalCalendarMethod.PUBLISH,
    ttl: 60 * 60,
  });
  const add = (id: string, day: string | null, summary: string, changed: string | null) =>
    calendar.createEvent({
      id: `${id}@taxclaims`,
      start: new Date(day ?? ''),
      allDay: true,
      stamp: new Date(changed ?? ''),
      summary,
      transparency: ICalEventTransparency.TRANSPARENT,
    });
  const events = rows.slice(0, MAX_CALENDAR_EVENTS);
  for (const [, kind, id, day = '', client, claimType, year, reference, number, text, at = ''] of events) {
    if (kind == null) continue;
    const title = joinParts(
      [texts.label(ENUM_LABELS.DeadlineKind, kind), number, shortenToSingleLine(text ?? '', MAX_TITLE_CHARACTERS)],
      texts.of,
    );
    const about = joinParts([texts.label(ENUM_LABELS.ClaimType, claimType ?? null), year, reference], ', ');
    const event = add(`${kind}-${id ?? ''}`, day, joinParts([title, client], ' – '), at);
    if (about !== '') event.description(about);
  }
  const [, , , day = '', ...rest] = rows[MAX_CALENDAR_EVENTS] ?? [];
  if (day !== '') add('end', day, texts.end, rest.at(-1) ?? '');
  // RFC 5545, 3.4: the last line ends with a line break too.
  return `${calendar.toString().trimEnd()}\r\n`;
}

export const calendarEndpoint = publicEndpoint({
  method: 'get',
  path: '/calendar/{secret}.ics',
  operationId: 'readCalendar',
  summary: 'Get the deadlines and open tasks of a user’s clients as a calendar',
  tag: 'Users',
  resource: 'users',
  roles: 'public',
  params: z.strictObject({
    secret: z
      .string()
      .meta({ param: { description: 'Secret of an address created by `POST /api/users/me/calendar`.' } }),
  }),
  responses: { 200: calendarFile, 304: null },
  handle: async ({ params }, database, authenticate) => {
    const request = await authenticate(await findCalendarUser(params['secret'] ?? '', database));
    const { rows } = await request.run(selectEvents(request.caller.role)).catch((error: unknown) => {
      throw sqlState(error) === REVOKED_RIGHTS_SQLSTATE ? createNotFoundError(error) : error;
    });
    const body = writeCalendar(rows);
    const headers = {
      'Content-Type': 'text/calendar; charset=utf-8',
      'Cache-Control': 'private, no-cache',
      ETag: createWeakEtag(body),
    };
    return replyUnlessNotModified(request.incoming, { status: 200, body, headers });
  },
});

const calendarOptions = { path: '/api/users/me/calendar', tag: 'Users', resource: 'users', roles: ROLES } as const;

const storeDigest = (digest: string | null): Statement => ({ text: 'select app.keep_calendar($1)', values: [digest] });

export const calendarAddressEndpoints = [
  endpoint({
    ...calendarOptions,
    method: 'post',
    operationId: 'makeCalendar',
    summary: 'Create a new secret address for the caller’s calendar; the previous address stops working',
    constraints: { users_without_calendar: { token: rule('other_rights') } },
    responses: {
      200: z
        .strictObject({
          url: z.string().meta({
            description:
              'Path of the calendar on this server, returned only once. It needs no token. It stops working when the user creates another address, changes password, gets another role, or is deactivated.',
          }),
        })
        .meta({ id: 'Calendar' }),
    },
    handle: async (_input, request) => {
      const secret = randomBytes(32).toString('base64url');
      await request.run(storeDigest(digestOfSecret(secret)));
      return { status: 200, body: JSON.stringify({ url: `${request.publicPath}/calendar/${secret}.ics` }) };
    },
  }),
  endpoint({
    ...calendarOptions,
    method: 'delete',
    operationId: 'endCalendar',
    summary: 'Delete the address of the caller’s calendar',
    responses: { 204: null },
    handle: async (_input, request) => {
      await request.run(storeDigest(null));
      return { status: 204 };
    },
  }),
];
