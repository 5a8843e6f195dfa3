import { STORED_FILE } from './contents-after.ts';
import { ANSWERED, DESCRIBED } from './invariants.ts';
import { QUEUE_STATES, PROVIDER_RIGHTS } from './provider-violations.ts';
import { OLDER_TOKEN } from './tokens-after.ts';

/** The request ids of the first two simultaneous requests, and the id of the tenant’s client. */
interface Ids {
  readonly first: string;
  readonly second: string;
  readonly client: string;
}

/**
 * Damage that a test does on purpose to the rows that simultaneous requests wrote. The check of one rule must then
 * report a violation.
 */
export interface Fault {
  /**
   * The names of the requests that the test sends at the same time before it damages their rows, in the order of
   * sending. The beginning of a name is enough.
   */
  readonly after: readonly string[];
  readonly sql?: (ids: Ids) => string;
  readonly isManaged?: true;
  /** Damage that the test does to the response to the first request; absent if the response stays as it is. */
  readonly answered?: { readonly status?: number; readonly difference?: string };
}

const CLAIM = 'PUT /api/reclamations/{id} (manager)';
const NARROWED = 'PUT /api/users/{id}, users has one client';
const LOGIN = 'POST /api/auth/login, as stored (users)';
const NEWER_LOGIN = 'POST /api/auth/login, with a client more (users)';
const NEW_CLIENT = 'POST /api/clients (manager)';

const ERASED = 'POST /api/users/{id}/erasure (chief)';

const recorded =
  (success: boolean) =>
  ({ first }: Ids): string =>
    `insert into public.audit_logs (action, resource_type, success, request_id, actor)
     values ('PUT', 'sites', ${String(success)}, '${first}', 'nobody')`;

/**
 * Damages the log that the test keeps of all writes: changes the values from before or after the first request’s write.
 */
const witnessed =
  (change: string) =>
  ({ first }: Ids): string =>
    `update races.writes set ${change} where request_id = '${first}' and table_name <> 'clients'`;

/**
 * Damages the log that the test keeps of all writes: adds a write by which the second request changes the rights of the
 * same user as the first request.
 */
const overwritten = ({ first, second }: Ids): string => `
insert into races.writes (request_id, table_name, command, nested, row_id, before, after)
select '${second}', table_name, command, nested, row_id, after, after || '{"access_digest": "another"}'
from races.writes
where request_id = '${first}'`;

const ofUsers =
  (change: string) =>
  ({ client }: Ids): string =>
    `update public.users set ${change} where '${client}' = any (client_access)`;

export const FAULTS: Readonly<Record<string, Fault>> = {
  // The damage to calendars must come first, because later damages take all clients from the users who have a calendar.
  'no user without rights has a calendar': {
    after: [CLAIM],
    sql: ofUsers('calendar_digest = md5(id::text) || md5(id::text), is_active = false'),
  },
  [ANSWERED]: { after: [CLAIM], answered: { status: 500 } },
  [DESCRIBED]: { after: [CLAIM], answered: { difference: 'the answer has another shape' } },
  'a request that gets 400 or more stores nothing': { after: [CLAIM], answered: { status: 409 } },
  'a request that gets less than 400 writes a row': {
    after: [CLAIM],
    sql: ({ first }) => `delete from races.writes where request_id = '${first}'`,
  },
  'a request that gets 401 or 403 has one audit record of the refusal, any other request has none': {
    after: [CLAIM],
    sql: recorded(false),
  },
  'each row that a request changes, except by a cascade, has one audit record of success': {
    after: [CLAIM],
    sql: recorded(true),
  },
  'the audit record of a change has the old and the new value of each changed column': {
    after: [CLAIM],
    sql: ({ first }) => `update public.audit_logs set changed = '{}' where request_id = '${first}'`,
  },
  'a change with a version in If-Match changes only that version': {
    after: ['PUT /api/reclamations/{id}, in its first version'],
    sql: witnessed(`before = before || '{"updated_at": "2026-01-02T00:00:00Z"}'`),
  },
  'each move of a claim starts where the move before it ended, and the last ends at the claim’s status': {
    after: ['PUT /api/reclamations/{id}, moved on'],
    sql: ({ client }) => `update public.reclamation_history set to_status = 'CLOSED' where client_id = '${client}'`,
  },
  'the audit records of a row are in the order of its writes': {
    after: [CLAIM, 'PUT /api/reclamations/{id}, assigned'],
    sql: ({ first }) => `update public.audit_logs set created_at = now() where request_id = '${first}'`,
  },
  'each write of a row gives it a later version': {
    after: [CLAIM],
    sql: witnessed(`after = after || jsonb_build_object('updated_at', before -> 'updated_at')`),
  },
  'the invoice numbers of a year have no gap, and the last one is in invoice_counters': {
    after: ['PUT /api/invoices/{id}, issued'],
    sql: () => 'update public.invoice_counters set last_number = last_number + 1',
  },
  'no login with an older token undoes a change of the user’s rights by another user': {
    after: [NARROWED, LOGIN],
    sql: overwritten,
  },
  'no user creates a client after another user has changed the creator’s rights': {
    after: ['PUT /api/users/{id}, manager has another client', NEW_CLIENT],
    sql: overwritten,
  },
  'no user changes another user after somebody else has changed the rights of the first user': {
    after: ['PUT /api/users/{id}, deputy is inactive', 'PUT /api/users/{id}, chief is inactive'],
    sql: overwritten,
  },
  'no login undoes a login with a newer token': {
    after: [NEWER_LOGIN, LOGIN],
    sql: overwritten,
  },
  'the creator of a client has access to the client, unless another user has changed the creator’s rights since': {
    after: [NEW_CLIENT],
    sql: ofUsers(`client_access = '{}'`),
  },
  'an assignment, a withdrawal and a creation of a client change only that client of a user’s list': {
    after: [NEW_CLIENT],
    sql: witnessed(`after = after || '{"role": "CLIENT"}'`),
  },
  'a change of rights is dated after the wait for a lock': {
    after: [NARROWED],
    sql: witnessed(`after = after || '{"access_changed_at": "2026-01-01T00:00:00Z"}'`),
  },
  'a user who has logged in is stored': { after: [LOGIN], sql: ofUsers('subject = null') },
  'an erased user is not stored again': {
    after: [ERASED],
    sql: () => `insert into public.users (email, password_hash, name, role, subject)
      select u.id || '@again.example', '!', 'Ada', 'CLIENT', 'idp|' || u.id
      from public.users as u where u.erased_at is not null order by u.erased_at desc limit 1`,
  },
  'no audit record has a name or an email of an erased user': {
    after: [ERASED],
    sql: ({ first }) =>
      `update public.audit_logs set changed = '{"name": ["Ada", "Zoé"]}' where request_id = '${first}'`,
  },
  'the assignee of a claim or a task has access to its client': {
    after: ['PUT /api/reclamations/{id}, assigned'],
    sql: ofUsers(`client_access = '{}'`),
  },
  'an active ADMIN of all clients remains': {
    after: [CLAIM],
    sql: () => `update public.users set is_active = false where role = 'ADMIN'`,
  },
  [OLDER_TOKEN]: { after: [NARROWED], sql: ofUsers(`access_changed_at = '2000-01-01'`) },
  [QUEUE_STATES]: {
    after: [NARROWED],
    isManaged: true,
    sql: ofUsers(`access_changed_at = 'infinity'`),
  },
  [PROVIDER_RIGHTS]: {
    after: [NARROWED],
    isManaged: true,
    sql: ofUsers(`role = 'CLIENT'`),
  },
  [STORED_FILE]: {
    after: ['POST /api/reclamations/{id}/documents'],
    sql: ({ first }) =>
      `delete from public.documents where id = any (select row_id::uuid from races.writes where request_id = '${first}')`,
  },
};
