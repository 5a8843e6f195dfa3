import { expect, test } from '@jest/globals';
import { PERSONAL_DATA_SOURCES } from '../../src/resources/personal-data.ts';
import { connected, createTestDatabase } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

/*
 * This suite tests that GET /api/users/{id}/personal-data returns every database column with personal data, except for
 * columns that the suite lists with a reason.
 */

const database = await forSuite(createTestDatabase());
const admin = await forSuite(connected(database.adminUrl));

const OF_THE_FIRM = 'a company’s, or whom one asks there; no user’s';
const OF_A_LOGIN = 'a login of Postgres, of a DBA or a tool';
const OF_ANOTHER = 'who changed the rights of a user: told of that one as audit_logs.user_id';

/** Columns that GET …/personal-data returns because another column of the same row refers to the user. */
const TOLD_ALONG = [
  ...['audit_logs.ip_address', 'audit_logs.user_agent', 'audit_logs.client_context', 'reclamation_history.actor'],
  ...['document_links.document_id', 'idempotency_keys.resource_id', 'identity_changes.erased_subject'],
  ...['notes.assignee_id', 'users.email', 'users.name', 'users.subject', 'users.password_hash'],
];

const OF_NOBODY: Readonly<Record<string, string>> = {
  'acceptances.accepted_by': OF_A_LOGIN,
  'acceptances.withdrawn_by': OF_A_LOGIN,
  'archives.archived_by': OF_A_LOGIN,
  'archives.removed_by': OF_A_LOGIN,
  'grants.granted_by': OF_A_LOGIN,
  'grants.login': OF_A_LOGIN,
  'grants.login_oid': OF_A_LOGIN,
  'invoice_transitions.table_name': 'a table',
  'communes.name': 'a commune',
  'migrations.name': 'a file',
  'public_holidays.name': 'a holiday',
  'cadastres.address': OF_THE_FIRM,
  'clients.address': OF_THE_FIRM,
  'clients.company_name': OF_THE_FIRM,
  'clients.contact_email': OF_THE_FIRM,
  'factures.buyer_address': OF_THE_FIRM,
  'factures.buyer_name': OF_THE_FIRM,
  'lost_clients.user_id': 'an assignment that the service removes within seconds',
  'partners.address': OF_THE_FIRM,
  'partners.contact_email': OF_THE_FIRM,
  'partners.name': OF_THE_FIRM,
  'partners.phone': OF_THE_FIRM,
  'sites.address': OF_THE_FIRM,
  'sites.site_name': OF_THE_FIRM,
  'document_links.subject': 'the same person as user_id',
  'identity_changes.actor': OF_ANOTHER,
  'identity_changes.claim': 'a random number of an attempt',
  'reminders.claim': 'a random number of an attempt',
};

/** SQL that finds columns that refer to users, hold other ids, or have names such as `email` or `phone`. */
const MAY_BE_OF_A_PERSON = `
  select t.relname || '.' || a.attname as column
  from audit.house_tables as h
  join pg_class as t on t.oid = h.oid
  join pg_attribute as a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  left join pg_constraint as key on key.conrelid = t.oid and key.contype = 'f' and a.attnum = any (key.conkey)
  where not t.relispartition
    and (
      key.confrelid = 'public.users'::regclass
      or (key.oid is null and a.atttypid = 'uuid'::regtype and a.attname not in ('id', 'client_id'))
      or a.attname ~ '(^|_)(email|mail|name|phone|subject|actor|address|agent|login|hash|by|signature|birth|account|user)(_|$)'
    )
  order by 1`;

test('GET …/personal-data has every column that can be about a user, except the columns that this test lists with a reason', async () => {
  const found = (await admin.query<{ column: string }>(MAY_BE_OF_A_PERSON)).rows.map(({ column }) => column);
  const listed = [...PERSONAL_DATA_SOURCES, ...TOLD_ALONG, ...Object.keys(OF_NOBODY)];
  expect(found.filter((column) => !listed.includes(column))).toEqual([]);
  expect(found).toEqual(expect.arrayContaining(['users.email', 'notes.author_id', 'reclamations.assignee_id']));
  expect(Object.keys(OF_NOBODY).filter((column) => !found.includes(column))).toEqual([]);
});

test('the test of GET …/personal-data notices a new column that refers to a user or is named like personal data', async () => {
  await admin.query(`
    begin;
    alter table public.sites add column keeper_id uuid references public.users (id), add column told uuid,
      add column contact_phone text, add column area numeric`);
  const found = (await admin.query<{ column: string }>(MAY_BE_OF_A_PERSON)).rows.map(({ column }) => column);
  await admin.query('rollback');
  expect(found).toEqual(expect.arrayContaining(['sites.keeper_id', 'sites.told', 'sites.contact_phone']));
  expect(found).not.toContain('sites.area');
});
