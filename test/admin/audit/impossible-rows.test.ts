import { describe, expect, test } from '@jest/globals';
import { idOf, SELF } from '../../policies/fixture.ts';
import { rowOf } from '../../support/rows.ts';
import { newTenant } from '../../support/tenant.ts';
import { forSuite } from '../../support/suite.ts';
import { openAuditedWorld } from './auditor.ts';

/*
 * A superuser’s session with session_replication_role = replica writes rows without foreign keys and ordinary triggers,
 * as a restore or a replica does. For each rule that such rows can break, an auditor must get the finding impossible_row.
 */

const { admin } = await forSuite(openAuditedWorld());

interface Key {
  readonly name: string;
  readonly table: string;
  readonly object: string;
  readonly columns: readonly string[];
}

const { rows: KEYS } = await admin.query<Key>(
  `select k.conname as name, k.conrelid::regclass::text as table,
     format('%s on %s.%s', k.conname, n.nspname, c.relname) as object,
     array(
       select a.attname::text from unnest(k.conkey) with ordinality as u (attnum, place)
       join pg_attribute as a on a.attrelid = k.conrelid and a.attnum = u.attnum
       order by place
     ) as columns
   from pg_constraint as k
   join pg_class as c on c.oid = k.conrelid
   join pg_namespace as n on n.oid = c.relnamespace
   where k.contype = 'f' and k.conparentid = 0 and n.nspname in ('public', 'app', 'reporting', 'audit')
   order by 1`,
);

/** The foreign keys whose rows app.impossible_rows cannot read. A row without its parent has no effect there. */
const UNREAD = ['grants_client_id_fkey', 'password_attempts_user_id_fkey'];

/** A row for each table that has no row in the tests’ database, and values that a CHECK constraint needs. */
const FIRST: Readonly<Record<string, string>> = {
  created_clients_client_id_fkey: `insert into app.created_clients (subject, client_id) values ('x', '${idOf('a', 'clients')}')`,
  lost_clients_user_id_fkey: `insert into app.lost_clients (user_id, client_id) values ('${SELF}', '${idOf('a', 'clients')}')`,
  reminders_user_id_fkey: `insert into app.reminders (user_id, day, told_until, waits_since)
    values ('${SELF}', current_date, current_date - 1, now())`,
  factures_credits_of_client: `update public.factures set kind = 'CREDIT_NOTE', credits_id = '${idOf('b', 'factures')}'
    where id = '${idOf('a', 'factures')}'`,
};

/** Builds the SQL that gives one row the client of another one, or the id of nobody. */
function breaking({ name, table, columns }: Key): string {
  const [first = ''] = columns.filter((column) => column !== 'client_id' || columns.length === 1);
  const set =
    columns.length > 1
      ? `${first} = coalesce(${first}, gen_random_uuid()), client_id = '${idOf('b', 'clients')}'`
      : `${first} = gen_random_uuid()`;
  const one = columns.includes('client_id') && columns.length > 1 ? `where client_id = '${idOf('a', 'clients')}'` : '';
  return `${FIRST[name] ?? 'select'};
    update ${table} set ${name === 'factures_credits_of_client' ? 'description = null' : set}
    where ctid = (select min(ctid) from ${table} ${one})`;
}

async function found(): Promise<string[]> {
  await admin.query('set local role taxclaims_auditor');
  const { rows } = await admin.query<{ object: string }>('select object from audit.finding_impossible_row');
  await admin.query('reset role');
  return rows.map(({ object }) => object);
}

/** Runs the SQL as a superuser without foreign keys and triggers, asks an auditor’s view, and rolls back. */
async function foundAfter(sql: string, before = ''): Promise<string[]> {
  try {
    await admin.query(`begin; ${before}; set local session_replication_role = replica; ${sql}`);
    return await found();
  } finally {
    await admin.query('rollback');
  }
}

test('the view audit.findings reports no row of the tests’ database as impossible', async () => {
  expect(await foundAfter('select')).toEqual([]);
});

test('the view audit.findings compares the rows of each foreign key, except two that are of no client', async () => {
  const { rows } = await admin.query<{ object: string }>('select object from app.impossible_rows()');
  const asked = new Set(rows.map(({ object }) => object));
  expect(KEYS.filter(({ object }) => !asked.has(object)).map(({ name }) => name)).toEqual(UNREAD);
});

test.each(KEYS.filter(({ name }) => !UNREAD.includes(name)))(
  'the view audit.findings reports a row without its row of the foreign key $name',
  async (key) => {
    expect(await foundAfter(breaking(key))).toContain(key.object);
  },
);

const tenant = newTenant();
const CLAIM = idOf('a', 'reclamations');
const CLIENT = idOf('a', 'clients');
const USER = idOf('a', 'users');
/** An ADMIN of all clients, and a user whose role and list have changed twice. */
const CHANGED = `${rowOf('users', tenant, { role: 'ADMIN', client_access: [] })}
  update public.users set role = 'CLIENT', client_access = '{${CLIENT},${idOf('b', 'clients')}}' where id = '${USER}';
  update public.users set role = 'ACCOUNT_MANAGER', client_access = '{${CLIENT}}' where id = '${USER}'`;
const ERASED = `${CHANGED}; set local role taxclaims_admin; select app.erase_user('${USER}'); reset role`;
const ISSUED = `update public.factures set status = 'ISSUED' where id = '${idOf('a', 'factures')}'`;

const SENT = ['READY_FOR_REVIEW', 'APPROVED', 'SUBMITTED']
  .map((status) => `update public.reclamations set status = '${status}' where id = '${CLAIM}'`)
  .join(';');

describe('what the triggers keep', () => {
  test.each([
    [
      'a claim with a status that no move gave it',
      '',
      `update public.reclamations set status = 'SUBMITTED' where id = '${CLAIM}'`,
      'reclamations_apply_move on public.reclamations',
    ],
    [
      'a claim with the status before its last move',
      `update public.reclamations set status = 'READY_FOR_REVIEW' where id = '${CLAIM}'`,
      `update public.reclamations set status = 'DRAFT' where id = '${CLAIM}'`,
      'reclamations_apply_move on public.reclamations',
    ],
    [
      'a move that nobody may make',
      '',
      `update public.reclamation_history set from_status = 'DRAFT', to_status = 'REFUNDED' where reclamation_id = '${CLAIM}'`,
      'public.reclamation_history.to_status',
    ],
    [
      'a step back to a status from which nobody comes',
      '',
      `update public.reclamation_history set from_status = 'REFUNDED', to_status = 'DRAFT', is_correction = true where reclamation_id = '${CLAIM}'`,
      'public.reclamation_history.to_status',
    ],
    [
      'a claim with another last day than the one of its collection date',
      `update public.reclamations set collection_date = '2025-08-31' where id = '${CLAIM}'`,
      `update public.reclamations set claim_deadline = '2027-12-31' where id = '${CLAIM}'`,
      'public.reclamations.claim_deadline',
    ],
    [
      'a sent claim with another day of the answer than the one of its receipt',
      SENT,
      `update public.reclamations set response_due_at = response_due_at + interval '1 month' where id = '${CLAIM}'`,
      'public.reclamations.response_due_at',
    ],
    [
      'a claim from the future',
      '',
      `update public.reclamations set updated_at = now() + interval '1 day'`,
      'times of public.reclamations',
    ],
    [
      'a move in the future',
      '',
      `update public.reclamation_history set changed_at = now() + interval '1 day'`,
      'times of public.reclamation_history',
    ],
    [
      'an invoice with a status that no move reaches',
      `${ISSUED}; delete from public.invoice_transitions where to_status = 'ISSUED'`,
      'select',
      'factures_check_move on public.factures',
    ],
    [
      'a bill with a status that no move reaches',
      `delete from public.invoice_transitions where to_status = 'DISPUTED'`,
      `update public.partner_invoices set status = 'DISPUTED'`,
      'partner_invoices_compute_amounts on public.partner_invoices',
    ],
    [
      'an invoice counter below the last number',
      ISSUED,
      `delete from public.invoice_counters`,
      'public.factures.number',
    ],
    [
      'an invoice counter above the last number',
      ISSUED,
      `update public.invoice_counters set last_number = last_number + 1`,
      'public.factures.number',
    ],
    [
      'invoices 1 and 3 of a year without invoice 2',
      ISSUED,
      `insert into public.factures (client_id, amount_excl_tax, status, number, issue_date)
         select client_id, 1, status, replace(number, '000001', '000003'), issue_date from public.factures where status = 'ISSUED';
       update public.invoice_counters set last_number = 3`,
      'public.factures.number',
    ],
    [
      'a draft of an invoice with a VAT rate of no French law',
      '',
      `update public.factures set vat_rate = 5`,
      'public.factures.vat_rate',
    ],
    [
      'a note from the future',
      '',
      `update public.notes set created_at = now() + interval '1 day'`,
      'times of public.notes',
    ],
    [
      'an invoice from the future',
      '',
      `update public.factures set updated_at = now() + interval '1 day'`,
      'times of public.factures',
    ],
    [
      'a bill from the future',
      '',
      `update public.partner_invoices set created_at = now() + interval '1 day'`,
      'times of public.partner_invoices',
    ],
    [
      'a claim without its words',
      '',
      `delete from app.claim_words where id = '${CLAIM}'`,
      'reclamations_index_new_words on app.claim_words',
    ],
    [
      'a claim of an assignee without its client',
      '',
      `update public.reclamations set assignee_id = '${SELF}'`,
      'reclamations_check_assignee on public.reclamations',
    ],
    [
      'a document whose content is about to be removed',
      '',
      `insert into app.content_removals (file_path, due_at) select file_path, now() from public.documents limit 1`,
      'documents_update_content_removals on app.content_removals',
    ],
    [
      'no active ADMIN of all clients',
      CHANGED,
      `update public.users set is_active = false where role = 'ADMIN'`,
      'users_keep_last_administrator on public.users',
    ],
    [
      'a user whose subject is the id of another user',
      '',
      `update public.users set subject = '${SELF}' where id = '${USER}'`,
      'users_subject_key on public.users',
    ],
    [
      'a user with the subject of an erased user',
      ERASED,
      `update public.users set subject = 'subject-a' where id = '${SELF}'`,
      'users_subject_key on public.users',
    ],
    [
      'an erased user made whole',
      ERASED,
      `update public.users set erased_at = null, email = 'a@b.example', name = 'Ada', subject = 'subject-a' where id = '${USER}'`,
      'users_audit_write on public.users.erased_at',
    ],
    [
      'a user whose role the audit log does not have',
      CHANGED,
      `update public.users set role = 'ADMIN' where id = '${USER}'`,
      'users_audit_write on public.users.role',
    ],
    [
      'a new user with another role than at the creation',
      '',
      `update public.users set role = 'ADMIN' where id = '${USER}'`,
      'users_audit_write on public.users.role',
    ],
    [
      'a new user with a client that nobody gave',
      '',
      `update public.users set client_access = client_access || '{${idOf('b', 'clients')}}' where id = '${USER}'`,
      'users_audit_write on public.users.client_access',
    ],
    [
      'a new user without the client of the creation',
      '',
      `update public.users set client_access = '{${idOf('b', 'clients')}}' where id = '${USER}'`,
      'users_audit_write on public.users.client_access',
    ],
    [
      'a new user made inactive by hand',
      '',
      `update public.users set is_active = false where id = '${USER}'`,
      'users_audit_write on public.users.is_active',
    ],
    [
      'a user with a client that the audit log took',
      CHANGED,
      `update public.users set client_access = '{${CLIENT},${idOf('b', 'clients')}}' where id = '${USER}'`,
      'users_audit_write on public.users.client_access',
    ],
    [
      'a user without a client that the audit log gave',
      `${CHANGED}; update public.users set client_access = '{${CLIENT},${idOf('b', 'clients')}}' where id = '${USER}'`,
      `update public.users set client_access = '{${CLIENT}}' where id = '${USER}'`,
      'users_audit_write on public.users.client_access',
    ],
    ['a user whom nobody created', '', rowOf('users', tenant), 'users_audit_write on public.users.id'],
  ])('the view audit.findings reports %s', async (_what, before, sql, object) => {
    expect(await foundAfter('select', before)).toEqual(
      before.includes('delete from public.invoice_transitions') && sql === 'select' ? [object] : [],
    );
    expect(await foundAfter(sql, before)).toContain(object);
  });
});
