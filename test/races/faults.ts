import { STORED_FILE } from './contents-after.ts';
import { ANSWERED, DESCRIBED } from './invariants.ts';
import { QUEUE_STATES, PROVIDER_RIGHTS } from './provider-violations.ts';
import { OLDER_TOKEN } from './tokens-after.ts';

/** The ids of the first two requests of a race, and the client of its tenant. */
interface Ids {
  readonly first: string;
  readonly second: string;
  readonly client: string;
}

/** Something wrong, put into what a race has left behind, which one invariant must see. */
export interface Fault {
  /** The operations of the race, by what their names begin with. */
  readonly after: readonly string[];
  readonly sql?: (ids: Ids) => string;
  /** The provider is told of changes. */
  readonly isManaged?: true;
  /** What the first is said to have been answered. */
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

/** Another before or after in what the first has written. */
const witnessed =
  (change: string) =>
  ({ first }: Ids): string =>
    `update races.writes set ${change} where request_id = '${first}' and table_name <> 'clients'`;

/** A write of the second on the row of the first, which gives it other rights. */
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
  // First: other faults take the clients of users who have a calendar.
  'nobody without rights has a calendar': {
    after: [CLAIM],
    sql: ofUsers('calendar_digest = md5(id::text) || md5(id::text), is_active = false'),
  },
  [ANSWERED]: { after: [CLAIM], answered: { status: 500 } },
  [DESCRIBED]: { after: [CLAIM], answered: { difference: 'it is another' } },
  'what is refused or fails stores nothing': { after: [CLAIM], answered: { status: 409 } },
  'what succeeds has an effect': {
    after: [CLAIM],
    sql: ({ first }) => `delete from races.writes where request_id = '${first}'`,
  },
  'a 401 or 403 leaves one record of refusal, anything else none': { after: [CLAIM], sql: recorded(false) },
  'each row that a request writes by itself has one record of success': {
    after: [CLAIM],
    sql: recorded(true),
  },
  'a change of a row has a record of what it changed, old and new': {
    after: [CLAIM],
    sql: ({ first }) => `update public.audit_logs set changed = '{}' where request_id = '${first}'`,
  },
  'a change in a version is of that version': {
    after: ['PUT /api/reclamations/{id}, in its first version'],
    sql: witnessed(`before = before || '{"updated_at": "2026-01-02T00:00:00Z"}'`),
  },
  'the history of a claim is a path that ends where the claim is': {
    after: ['PUT /api/reclamations/{id}, moved on'],
    sql: ({ client }) => `update public.reclamation_history set to_status = 'CLOSED' where client_id = '${client}'`,
  },
  'the records of one row are in the order of its writes': {
    after: [CLAIM, CLAIM],
    sql: ({ first }) => `update public.audit_logs set created_at = now() where request_id = '${first}'`,
  },
  'the version of a row moves forward': {
    after: [CLAIM],
    sql: witnessed(`after = after || jsonb_build_object('updated_at', before -> 'updated_at')`),
  },
  'the numbers of a year’s invoices are gapless and end with its counter': {
    after: ['PUT /api/invoices/{id}, issued'],
    sql: () => 'update public.invoice_counters set last_number = last_number + 1',
  },
  'what others made of a user’s rights no login with an older token undoes': {
    after: [NARROWED, LOGIN],
    sql: overwritten,
  },
  'nobody creates a client with rights that others have changed': {
    after: ['PUT /api/users/{id}, manager has another client', NEW_CLIENT],
    sql: overwritten,
  },
  'nobody changes a user with rights that others have changed': {
    after: ['PUT /api/users/{id}, deputy is inactive', 'PUT /api/users/{id}, chief is inactive'],
    sql: overwritten,
  },
  'a login does not undo what a login with a newer token said': {
    after: [NEWER_LOGIN, LOGIN],
    sql: overwritten,
  },
  'whoever creates a client keeps it, unless another says otherwise after': {
    after: [NEW_CLIENT],
    sql: ofUsers(`client_access = '{}'`),
  },
  'an assignment, a withdrawal and a creation change that client of the list alone': {
    after: [NEW_CLIENT],
    sql: witnessed(`after = after || '{"role": "CLIENT"}'`),
  },
  'a change of rights dates from when it happened': {
    after: [NARROWED],
    sql: witnessed(`after = after || '{"access_changed_at": "2026-01-01T00:00:00Z"}'`),
  },
  'whoever logs in is stored': { after: [LOGIN], sql: ofUsers('subject = null') },
  'nobody who was erased is stored again': {
    after: [ERASED],
    sql: () => `insert into public.users (email, password_hash, name, role, subject)
      select u.id || '@again.example', '!', 'Ada', 'CLIENT', 'idp|' || u.id
      from public.users as u where u.erased_at is not null order by u.erased_at desc limit 1`,
  },
  'no name of who was erased is in the audit log': {
    after: [ERASED],
    sql: ({ first }) =>
      `update public.audit_logs set changed = '{"name": ["Ada", "Zoé"]}' where request_id = '${first}'`,
  },
  'whoever works on a claim or a task has its client': {
    after: ['PUT /api/reclamations/{id}, assigned'],
    sql: ofUsers(`client_access = '{}'`),
  },
  'an active ADMIN without a list is left': {
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
