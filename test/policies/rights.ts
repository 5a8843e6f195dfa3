import { allEndpoints } from '../../src/resources/index.ts';
import { RIGHTS as OF_THE_INTERFACE, rights } from '../resources/access.ts';
import { words } from '../support/words.ts';

/*
 * The rights that the database must grant. They are derived from the rights of the API in test/resources/access.ts, not
 * from the policies.
 */

export const REQUEST_ROLES = ['admin', 'scoped_admin', 'account_manager', 'tax_specialist', 'client'] as const;
export type RequestRole = (typeof REQUEST_ROLES)[number];

/** For each request role, the weaker roles whose rights it includes. */
export const BELOW: Readonly<Record<RequestRole, readonly RequestRole[]>> = {
  admin: [],
  scoped_admin: ['account_manager', 'client', 'tax_specialist'],
  account_manager: ['client', 'tax_specialist'],
  tax_specialist: ['client'],
  client: [],
};

type Rights = Readonly<Record<RequestRole, string>>;

/**
 * The rights of each role to each table. Two tables have no endpoint, so their rights are written here; all other
 * rights come from the tests of the API.
 */
const PAGE = {
  ...OF_THE_INTERFACE,
  reclamation_history: rights('r', 'r', 'r', 'r'),
  client_partners: rights('crd', 'crd', 'r', ''),
} as const;

const ofTheDatabase = ({ ADMIN, ACCOUNT_MANAGER, TAX_SPECIALIST, CLIENT }: ReturnType<typeof rights>): Rights => ({
  admin: ADMIN,
  scoped_admin: ADMIN,
  account_manager: ACCOUNT_MANAGER,
  tax_specialist: TAX_SPECIALIST,
  client: CLIENT,
});

export type Table = keyof typeof PAGE;
export const TABLES = Object.keys(PAGE) as Table[];

export const RIGHTS = Object.fromEntries(TABLES.map((table) => [table, ofTheDatabase(PAGE[table])])) as Readonly<
  Record<Table, Rights>
>;

interface Columns {
  readonly insert: readonly string[];
  readonly update: readonly string[];
  readonly hidden?: readonly string[];
}

interface Described {
  readonly columns: Readonly<Record<string, { readonly inserted?: unknown; readonly change?: string }>>;
}

/**
 * The columns that the API’s endpoints write. A role that can write rows of a table must have the right to write these
 * columns, and no others.
 */
function writtenBy(table: Table): Columns {
  const columns = [
    ...new Map(
      allEndpoints.flatMap(({ of }) =>
        of?.table === table ? Object.entries((of as unknown as Described).columns) : [],
      ),
    ),
  ];
  return {
    insert: columns.flatMap(([name, { inserted }]) => (inserted === undefined ? [] : [name])),
    update: columns.flatMap(([name, { change }]) => (change === 'set' ? [name] : [])),
  };
}

/**
 * For each table, the columns that a role can create or update, and the columns that no role of a request is allowed to
 * read.
 */
export const COLUMNS: Readonly<Record<Table, Columns>> = {
  clients: writtenBy('clients'),
  sites: writtenBy('sites'),
  cadastres: writtenBy('cadastres'),
  reclamations: writtenBy('reclamations'),
  reclamation_history: { insert: [], update: [], hidden: ['court_before'] },
  documents: {
    insert: ['id', 'reclamation_id', 'filename', 'file_path', 'file_size', 'mime_type', 'sha256', 'kind'],
    update: ['filename', 'kind'],
  },
  notes: {
    insert: [...writtenBy('notes').insert, 'client_id', 'reclamation_id', 'author_id'],
    update: writtenBy('notes').update,
  },
  partners: { insert: writtenBy('partners').insert, update: [...writtenBy('partners').update, 'updated_at'] },
  client_partners: { insert: ['client_id', 'partner_id'], update: [] },
  factures: writtenBy('factures'),
  partner_invoices: writtenBy('partner_invoices'),
  users: {
    insert: ['id', 'email', 'password_hash', 'name', 'role', 'client_access', 'is_active'],
    update: ['email', 'password_hash', 'name', 'role', 'client_access', 'is_active'],
    hidden: [
      'password_hash',
      'subject',
      'access_changed_at',
      'access_digest',
      'sessions_ended_at',
      'erased_at',
      'calendar_digest',
    ],
  },
  audit_logs: { insert: [], update: [], hidden: ['oldest_writer', 'changed', 'writer', 'kind', 'internal'] },
  identity_changes: { insert: [], update: [], hidden: ['claim', 'claimed_until', 'erased_subject'] },
};

/** For each table, the columns that a reporting login must not read. */
export const REPORTING_HIDDEN: Partial<Record<Table, readonly string[]>> = {
  // The column `search_text` only repeats other columns for the search of the API, so reporting logins must not read
  // it.
  clients: ['search_text'],
  sites: ['search_text'],
  cadastres: ['search_text'],
  reclamations: ['search_text'],
  // The API needs these columns only to download or change a document, so reporting logins must not read them.
  documents: ['file_path', 'sha256', 'updated_at'],
  // Only users of the API may read the texts of notes, so reporting logins must not read them.
  notes: ['text'],
  reclamation_history: ['actor', 'court_before'],
  // A user’s list of clients can name clients that a reporting login has no right to see, so reporting logins must not
  // read such lists.
  users: words(`
    password_hash subject access_changed_at access_digest sessions_ended_at erased_at calendar_digest client_access language
    reminder_kinds reminders_only_mine
  `),
};
/** The reporting view for each table, and the columns that only the view has. */
export const REPORTING_VIEWS: Partial<Record<Table, { view: string; adds?: readonly string[] }>> = {
  clients: { view: 'clients' },
  sites: { view: 'sites' },
  cadastres: { view: 'cadastres', adds: ['client_id'] },
  reclamations: { view: 'reclamations', adds: ['response_is_estimate'] },
  reclamation_history: { view: 'reclamation_history' },
  documents: { view: 'documents', adds: ['client_id'] },
  notes: { view: 'tasks', adds: ['days_left'] },
  partners: { view: 'partners' },
  client_partners: { view: 'client_partners' },
  factures: { view: 'invoices', adds: ['amount_paid', 'amount_outstanding', 'turnover_excl_tax', 'cancelled_on'] },
  partner_invoices: { view: 'partner_invoices', adds: ['amount_paid', 'amount_outstanding'] },
  users: { view: 'users' },
};

/**
 * The tables on which reporting logins have grants for columns. The table of documents is missing here, because its
 * reporting view reads a copy of the table.
 */
export const REPORTING_TABLES: readonly Table[] = (Object.keys(REPORTING_VIEWS) as Table[]).filter(
  (table) => table !== 'documents',
);
