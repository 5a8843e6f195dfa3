import { bySql } from './channel.ts';
import type { Channel } from './channel.ts';
import { namesOf } from './firm.ts';
import type { FirmNames } from './firm.ts';
import { idOf } from './ids.ts';
import type { Request } from './step.ts';

/** The ids of a firm that only one of the two compared databases has. */
const OTHERS = namesOf({ seed: 'many' });
const STRANGER = idOf('a specialist of somebody else');

const userSql = (id: string, role: string, clients: readonly string[]): string => `
insert into public.users (id, email, password_hash, name, role, client_access, created_at, updated_at)
values ('${id}', '${id}@b.example', '!', 'Ada', '${role}', '{${clients.join()}}', timestamptz '2024-01-01Z', timestamptz '2024-01-01Z')`;

/** SQL that adds an audit record of a change by another tenant. */
const changedSql = (table: string, id: string, changed: string): string => `
insert into public.audit_logs (user_id, action, resource_type, resource_id, success, actor, created_at, changed)
values ('${OTHERS.users}', 'PUT', '${table}', '${id}', true, 'somebody else', timestamptz '2024-05-01Z', '${changed}')`;

const moreClientsSql = (id: string): string =>
  `update public.users set client_access = client_access || '${OTHERS.clients}'::uuid where id = '${id}'`;

const deputyOf = ({ clients }: FirmNames): string => idOf(clients, 'deputy');

const sent = (token: string, line: string, body?: object): Request => ({
  ...{ token, line },
  ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
});

const YEAR = 2021;

/**
 * How a caller learns something about other tenants by API requests, as docs/channels.md says. Each request is sent by
 * the caller who learns most from it.
 */
export const ofRequests: readonly Channel[] = [
  {
    name: 'known-id',
    size: '1 bit',
    steps: ({ tokens }) => [sent(tokens.client, `GET /api/sites/${OTHERS.sites}`)],
    tells: ['404', '403'],
  },
  {
    name: 'email-of-a-user',
    size: '1 bit',
    steps: ({ names, tokens }) => [
      sent(tokens.admin, 'POST /api/users', {
        email: 'user2.1@many.example',
        name: 'Chloé',
        role: 'CLIENT',
        client_access: [names.clients],
      }),
    ],
    tells: ['201', '409'],
  },
  {
    name: 'email-at-a-login',
    size: '1 bit',
    steps: ({ tokens }) => [sent(tokens.borrower, 'POST /api/auth/login', { token: tokens.borrower })],
    tells: ['200', '409'],
  },
  {
    name: 'known-user',
    size: 'email, name, role',
    both: () => userSql(STRANGER, 'TAX_SPECIALIST', []),
    others: bySql(() => `update public.users set name = 'Another name' where id = '${STRANGER}'`),
    steps: ({ names, tokens }) => [sent(tokens.manager, `PUT /api/users/${STRANGER}/client-access/${names.clients}`)],
    tells: /"name":"[^"]*"|Content-Length: <\d+>/g,
  },
  {
    name: 'shared-user',
    size: '1 bit',
    steps: ({ names, tokens }) => [sent(tokens.admin, `PUT /api/users/${names.guest}`, { name: 'Zoé' })],
    tells: ['200', '403'],
  },
  {
    name: 'last-client-of-an-administrator',
    size: '1 bit',
    both: ({ names }) => userSql(deputyOf(names), 'ADMIN', [names.clients]),
    others: bySql(({ names }) => moreClientsSql(deputyOf(names))),
    steps: ({ names, tokens }) => [
      sent(tokens.admin, `DELETE /api/users/${deputyOf(names)}/client-access/${names.clients}`),
    ],
    tells: ['409', '204'],
  },
  {
    name: 'change-of-a-shared-user',
    size: 'a time for each change',
    others: bySql(({ names }) => moreClientsSql(names.guest)),
    steps: ({ names, tokens }) => [sent(tokens.manager, `GET /api/users/${names.guest}`)],
    tells: /"updated_at":"[^"]*"|ETag: .*|Content-Length: <\d+>/g,
  },
  {
    name: 'shared-partner',
    size: '1 bit',
    steps: ({ names, tokens }) => [sent(tokens.admin, `DELETE /api/partners/${names.shared}`)],
    tells: ['204', '409'],
  },
  {
    name: 'record-of-a-shared-partner',
    size: 'the record without its links',
    others: bySql(({ names }) => `update public.partners set phone = '0999' where id = '${names.shared}'`),
    steps: ({ names, tokens }) => [sent(tokens.specialist, `GET /api/partners/${names.shared}`)],
    tells: /"(phone|updated_at)":"[^"]*"|ETag: .*|Content-Length: <\d+>/g,
  },
  {
    name: 'changes-of-a-shared-partner',
    size: 'who, when, old and new',
    others: bySql(({ names }) => changedSql('partners', names.shared, '{"phone": ["01", "0999"]}')),
    steps: ({ names, tokens }) => [sent(tokens.specialist, `GET /api/partners/${names.shared}/changes`)],
    tells: /\[.*\]|Content-Length: <?\d+>?/g,
  },
  {
    name: 'changes-of-a-shared-user',
    size: 'who, when, old and new',
    others: bySql(({ names }) => changedSql('users', names.guest, '{"name": ["Ada", "Zoé"]}')),
    steps: ({ names, tokens }) => [sent(tokens.manager, `GET /api/users/${names.guest}/changes`)],
    tells: /\[.*\]|Content-Length: <?\d+>?/g,
  },
  {
    name: 'number-of-an-invoice',
    size: 'at most 20 bits',
    others: bySql(
      () =>
        `insert into public.invoice_counters values (${YEAR}, 41) on conflict (year) do update set last_number = 41`,
    ),
    steps: ({ names, tokens }) => [
      sent(tokens.manager, `PUT /api/invoices/${names.draft}`, {
        issue_date: `${YEAR}-01-05`,
        due_date: `${YEAR}-02-05`,
      }),
      sent(tokens.manager, `PUT /api/invoices/${names.draft}`, { status: 'ISSUED' }),
    ],
    tells: new RegExp(`(?<="number":"${YEAR}-)\\d{6}(?=")`, 'g'),
  },
  {
    name: 'walk-by-change',
    size: 'at most 32 bits',
    others: bySql(
      () => `insert into public.audit_logs (action, resource_type, success, actor, created_at, oldest_writer)
             values ('x', 'sites', false, 'somebody else', timestamptz '2025-05-01 00:00:00Z', pg_current_xact_id())`,
    ),
    steps: ({ tokens }) => [sent(tokens.client, 'GET /api/sites?sort=updated_at&updated_from=2025-06-01T00:00:00Z')],
    // While a transaction of another tenant is open, this answer has all records of the caller; otherwise it is an
    // empty list. Its length and its ETag say no more than the list.
    tells: /\[.*\]|Content-Length: <?\d+>?|ETag: [^\n]*/g,
  },
  {
    name: 'place-of-changes',
    size: 'as many bits as writes',
    others: bySql(
      () => `insert into public.audit_logs (action, resource_type, success, actor, writer, kind, created_at)
             select 'x', 'sites', true, 'somebody else', pg_current_xact_id(), 'changed', now() + interval '40 minutes'
             from generate_series(1, 1000)`,
    ),
    // The position in `after` names another start of Postgres and a time half an hour ahead. The service therefore reads
    // the audit records after that time, which are only those of the other tenant.
    steps: ({ tokens }) => [
      sent(
        tokens.client,
        `GET /api/changes?after=${Buffer.from(`0.${Date.now() + 1_800_000}000.${'9'.repeat(12)}:${'9'.repeat(12)}:`).toString('base64url')}`,
      ),
    ],
    tells: /(?<="more":)(?:true|false)|Content-Length: <?\d+>?/g,
  },
  {
    name: 'subject-of-a-user',
    size: '1 bit',
    steps: (callers) => [sent(callers.tokens.namesake, 'GET /api/users/me')],
    tells: ['200', '401'],
  },
];
