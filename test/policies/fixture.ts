import { literal, rowOf, ROWS } from '../support/rows.ts';
import type { Tenant, Values } from '../support/rows.ts';
import type { Table } from './rights.ts';

/**
 * The rows of two firms, one row of each kind for each firm. The tested callers belong to firm a, and try each SQL
 * statement on the rows of both firms.
 */
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
  // Postgres does not delete a partner with bills, so the firm also has a partner without bills for the tests of
  // deletion.
  free_partner: '0c',
  identity_changes: '0d',
  notes: '0e',
  new: 'ff',
};

export function idOf(firm: Firm, what: keyof typeof NUMBERS): string {
  return `${firm}0000000-0000-4000-8000-0000000000${NUMBERS[what]}`;
}

/** The user who sends the tested SQL statements. No other user has a client in common with this user. */
export const SELF = 'e0000000-0000-4000-8000-000000000001';
/** The id of a partner that no client uses. */
export const UNLINKED_PARTNER = 'e0000000-0000-4000-8000-000000000002';

/** The ids of all rows of one firm; `biller` is the firm’s partner with bills. */
function tenantOf(firm: Firm): Tenant {
  const ids = Object.fromEntries(Object.keys(NUMBERS).map((what) => [what, idOf(firm, what as Table)]));
  const { partners: biller, free_partner: partners, new: newcomer } = ids;
  return { ...ids, biller, partners, newcomer } as Tenant;
}

/** SQL by which the superuser stores the rows of both firms. */
export const FIXTURE = [
  ...rowsOf('a'),
  ...rowsOf('b'),
  `insert into public.users (id, email, password_hash, name, role, subject) values ('${SELF}', 'self@users.example.org', '!', 'Self', 'CLIENT', 'self');
   insert into public.partners (id, name) values ('${UNLINKED_PARTNER}', 'Nobody''s partner');`,
].join('\n');

function rowsOf(firm: Firm): string[] {
  const tenant = tenantOf(firm);
  const { biller } = tenant;
  const row = (table: Table, values: Values = {}): string => rowOf(table, tenant, values);
  return [
    row('clients', { company_name: `Firm ${firm}` }),
    row('sites', { site_name: `Site ${firm}` }),
    row('cadastres'),
    row('reclamations'),
    row('reclamation_history'),
    row('documents'),
    row('notes', { author_id: SELF }),
    row('partners', { name: `Free partner ${firm}` }),
    row('partners', { id: biller, name: `Partner ${firm}` }),
    row('client_partners'),
    row('client_partners', { partner_id: biller }),
    row('factures'),
    row('partner_invoices', { number: `${firm}-1` }),
    row('users', {
      ...{ email: `${firm}@users.example.org`, name: `User ${firm}`, subject: `subject-${firm}` },
    }),
    row('audit_logs', { actor: `subject-${firm}` }),
    row('identity_changes'),
  ];
}

/** Returns SQL that creates, reads, updates or deletes one row of a firm in a table. */
export function statementFor(table: Table, command: Command, firm: Firm): string {
  const [column, value] = ROWS[table].change;
  const key =
    table === 'client_partners'
      ? `client_id = '${idOf(firm, 'clients')}'`
      : `id = '${idOf(firm, table === 'partners' ? 'free_partner' : table)}'`;
  switch (command) {
    case 'r':
      return `select 1 from public.${table} where ${key}`;
    case 'c':
      return rowOf(table, tenantOf(firm), {
        ...(table !== 'client_partners' && { id: idOf(firm, 'new') }),
        ...NEW[table],
      });
    case 'u':
      return `update public.${table} set ${column} = ${literal(value)} where ${key}`;
    case 'd':
      return `delete from public.${table} where ${key}`;
  }
}

export type Command = 'c' | 'r' | 'u' | 'd';

/** An SQL condition for a row that the UPDATE of statementFor has not changed yet. */
export function untouched(table: Table): string {
  const [column, value] = ROWS[table].change;
  return `${column} is distinct from ${literal(value)}`;
}

/**
 * The values in which a second row of a firm must differ from the first row. The tests create a second row in each
 * table.
 */
const NEW: Partial<Record<Table, Values>> = {
  cadastres: { number: '0002' },
  client_partners: { partner_id: UNLINKED_PARTNER },
  // A note with a due date would be a task, which a user with role CLIENT has no right to create.
  notes: { author_id: SELF, due_on: null },
  partner_invoices: { number: 'new' },
  users: { role: 'CLIENT' },
};
