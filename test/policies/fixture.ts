import type { Table } from './rights.ts';

/** Two firms with the same kinds of rows: everything is tried on one's own and on the other's. */
export type Firm = 'a' | 'b';

const NUMBERS: Readonly<Record<Table | 'free_partner' | 'new', string>> = {
  clients: '01',
  sites: '02',
  cadastres: '03',
  reclamations: '04',
  documents: '05',
  partners: '06',
  client_partners: '06',
  factures: '07',
  partner_invoices: '08',
  users: '09',
  audit_logs: '0a',
  reclamation_history: '0b',
  // A partner that has no bills, as one that can be deleted must be.
  free_partner: '0c',
  identity_changes: '0d',
  new: 'ff',
};

export function idOf(firm: Firm, what: keyof typeof NUMBERS): string {
  return `${firm}0000000-0000-4000-8000-0000000000${NUMBERS[what]}`;
}

/** The user on whose behalf the requests of the tests are made; shares no client with anybody. */
export const SELF = 'e0000000-0000-4000-8000-000000000001';
/** A partner that nobody is linked to. */
export const UNLINKED_PARTNER = 'e0000000-0000-4000-8000-000000000002';

/** Everything that the tests find in the database, written by the superuser. */
export const FIXTURE = [rowsOf('a'), rowsOf('b'), unattached()].join('\n');

function rowsOf(firm: Firm): string {
  const id = (what: keyof typeof NUMBERS): string => `'${idOf(firm, what)}'`;
  return `
    insert into public.clients (id, company_name, contact_email) values (${id('clients')}, 'Firm ${firm}', '${firm}@example.org');
    insert into public.sites (id, client_id, site_name) values (${id('sites')}, ${id('clients')}, 'Site ${firm}');
    insert into public.cadastres (id, site_id, commune_code, section, number) values (${id('cadastres')}, ${id('sites')}, '75056', 'AB', '0001');
    insert into public.reclamations (id, client_id, site_id, claim_type, amount) values (${id('reclamations')}, ${id('clients')}, ${id('sites')}, 'TF', 100);
    insert into public.reclamation_history (id, reclamation_id, client_id, from_status, to_status, actor) values (${id('reclamation_history')}, ${id('reclamations')}, ${id('clients')}, 'DRAFT', 'DRAFT', 'fixture');
    insert into public.documents (id, reclamation_id, filename, file_path) values (${id('documents')}, ${id('reclamations')}, 'avis.pdf', 'path-${firm}');
    insert into public.partners (id, name) values (${id('partners')}, 'Partner ${firm}'), (${id('free_partner')}, 'Free partner ${firm}');
    insert into public.client_partners (client_id, partner_id) values (${id('clients')}, ${id('partners')}), (${id('clients')}, ${id('free_partner')});
    insert into public.factures (id, client_id, amount_excl_tax) values (${id('factures')}, ${id('clients')}, 10);
    insert into public.partner_invoices (id, partner_id, client_id, number, amount_excl_tax) values (${id('partner_invoices')}, ${id('partners')}, ${id('clients')}, '${firm}-1', 10);
    insert into public.users (id, email, password_hash, name, role, client_access, subject) values (${id('users')}, '${firm}@users.example.org', '!', 'User ${firm}', 'TAX_SPECIALIST', array[${id('clients')}]::uuid[], 'subject-${firm}');
    insert into public.audit_logs (id, action, resource_type, client_context, success, actor) values (${id('audit_logs')}, 'GET /x', 'clients', ${id('clients')}, false, 'subject-${firm}');
    insert into public.identity_changes (id, user_id, actor, role, client_access, is_active, ends_tokens) values (${id('identity_changes')}, ${id('users')}, 'fixture', 'TAX_SPECIALIST', array[${id('clients')}]::uuid[], true, false);`;
}

function unattached(): string {
  return `
    insert into public.users (id, email, password_hash, name, role, subject) values ('${SELF}', 'self@users.example.org', '!', 'Self', 'CLIENT', 'self');
    insert into public.partners (id, name) values ('${UNLINKED_PARTNER}', 'Nobody''s partner');`;
}

/** One statement of each command against a firm's row of a table. */
export function statementFor(table: Table, command: Command, firm: Firm): string {
  const row = table === 'partners' ? idOf(firm, 'free_partner') : idOf(firm, table);
  const key = table === 'client_partners' ? `client_id = '${idOf(firm, 'clients')}'` : `id = '${row}'`;
  switch (command) {
    case 'r':
      return `select 1 from public.${table} where ${key}`;
    case 'c':
      return insertFor(table, firm);
    case 'u':
      return `update public.${table} set ${UPDATED[table]} where ${key}`;
    case 'd':
      return `delete from public.${table} where ${key}`;
  }
}

export type Command = 'c' | 'r' | 'u' | 'd';

export const UPDATED: Readonly<Record<Table, string>> = {
  clients: `address = 'Lyon'`,
  sites: `address = 'Lyon'`,
  cadastres: `address = 'Lyon'`,
  reclamations: `grounds = 'surface'`,
  reclamation_history: `actor = 'somebody else'`,
  documents: `filename = 'other.pdf'`,
  partners: `phone = '0102030405'`,
  client_partners: `created_at = now()`,
  factures: `due_date = '2030-01-01'`,
  partner_invoices: `due_date = '2030-01-01'`,
  users: `name = 'Renamed'`,
  audit_logs: `action = 'nothing happened'`,
  identity_changes: `attempts = 9`,
};

function insertFor(table: Table, firm: Firm): string {
  const id = (what: keyof typeof NUMBERS): string => `'${idOf(firm, what)}'`;
  const values: Readonly<Record<Table, string>> = {
    clients: `(id, company_name, contact_email) values (${id('new')}, 'New', 'new@example.org')`,
    sites: `(id, client_id, site_name) values (${id('new')}, ${id('clients')}, 'New')`,
    cadastres: `(id, site_id, commune_code, section, number) values (${id('new')}, ${id('sites')}, '2A004', 'AB', '0002')`,
    reclamations: `(id, client_id, site_id, claim_type, amount) values (${id('new')}, ${id('clients')}, ${id('sites')}, 'CFE', 1)`,
    reclamation_history: `(reclamation_id, client_id, from_status, to_status, actor) values (${id('reclamations')}, ${id('clients')}, 'DRAFT', 'CLOSED', 'forger')`,
    documents: `(id, reclamation_id, filename, file_path) values (${id('new')}, ${id('reclamations')}, 'new.pdf', 'new-path')`,
    partners: `(id, name) values (${id('new')}, 'New')`,
    client_partners: `(client_id, partner_id) values (${id('clients')}, '${UNLINKED_PARTNER}')`,
    factures: `(id, client_id, amount_excl_tax) values (${id('new')}, ${id('clients')}, 1)`,
    partner_invoices: `(id, partner_id, client_id, number, amount_excl_tax) values (${id('new')}, ${id('partners')}, ${id('clients')}, 'new', 1)`,
    users: `(id, email, password_hash, name, role, client_access) values (${id('new')}, 'new@users.example.org', '!', 'New', 'CLIENT', array[${id('clients')}]::uuid[])`,
    audit_logs: `(action, resource_type, success, actor) values ('GET /x', 'clients', true, 'forger')`,
    identity_changes: `(user_id, actor, role, client_access, is_active, ends_tokens) values (${id('users')}, 'forger', 'ADMIN', '{}', true, false)`,
  };
  return `insert into public.${table} ${values[table]}`;
}
