import { allEndpoints } from '../../src/resources/index.ts';
import { RIGHTS as OF_THE_INTERFACE, rights } from '../resources/access.ts';
import { words } from '../support/words.ts';

/*
 * Who may do what, written a second time and on purpose, from the requirements and not from the policies: the tests hold
 * the database against the page that they hold the interface against.
 */

export const REQUEST_ROLES = ['admin', 'scoped_admin', 'account_manager', 'tax_specialist', 'client'] as const;
export type RequestRole = (typeof REQUEST_ROLES)[number];

/** Whose rights each has as well. */
export const BELOW: Readonly<Record<RequestRole, readonly RequestRole[]>> = {
  admin: [],
  scoped_admin: ['account_manager', 'client', 'tax_specialist'],
  account_manager: ['client', 'tax_specialist'],
  tax_specialist: ['client'],
  client: [],
};

type Rights = Readonly<Record<RequestRole, string>>;

/** What the page of the interface says of its tables, and who may do what with the two that it has no endpoints of. */
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

/** What the interface writes: whoever may create or update a record may write these columns, and no other. */
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

/** The columns that a right to create or to update reaches; a right to read reaches all but the hidden ones. */
export const COLUMNS: Readonly<Record<Table, Columns>> = {
  clients: writtenBy('clients'),
  sites: writtenBy('sites'),
  cadastres: writtenBy('cadastres'),
  reclamations: writtenBy('reclamations'),
  reclamation_history: { insert: [], update: [] },
  documents: {
    insert: ['id', 'reclamation_id', 'filename', 'file_path', 'file_size', 'mime_type', 'sha256'],
    update: ['filename', 'kind'],
  },
  notes: {
    insert: [...writtenBy('notes').insert, 'client_id', 'reclamation_id', 'author_id'],
    update: writtenBy('notes').update,
  },
  partners: writtenBy('partners'),
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

/** What a reporting login must not read of a record. */
export const REPORTING_HIDDEN: Partial<Record<Table, readonly string[]>> = {
  // The same texts once more, for the lists of the interface.
  clients: ['search_text'],
  sites: ['search_text'],
  cadastres: ['search_text'],
  reclamations: ['search_text'],
  // Of use to whoever downloads the content or changes the record, which no reporting login does.
  documents: ['file_path', 'sha256', 'updated_at'],
  // The firm's own prose.
  notes: ['text'],
  reclamation_history: ['actor'],
  // The list names clients of others.
  users: words(`
    password_hash subject access_changed_at access_digest sessions_ended_at erased_at calendar_digest client_access language
    reminder_kinds reminders_only_mine
  `),
};
/** The views of the reporting surface by what they show, with the columns that they add. */
export const REPORTING_VIEWS: Partial<Record<Table, { view: string; adds?: readonly string[] }>> = {
  clients: { view: 'clients' },
  sites: { view: 'sites' },
  cadastres: { view: 'cadastres', adds: ['client_id'] },
  reclamations: { view: 'reclamations' },
  reclamation_history: { view: 'reclamation_history' },
  documents: { view: 'documents', adds: ['client_id'] },
  notes: { view: 'tasks', adds: ['days_left'] },
  partners: { view: 'partners' },
  client_partners: { view: 'client_partners' },
  factures: { view: 'invoices', adds: ['amount_paid', 'amount_outstanding'] },
  partner_invoices: { view: 'partner_invoices', adds: ['amount_paid', 'amount_outstanding'] },
  users: { view: 'users' },
};

/** The tables that a reporting login reads, column by column: what its views show, but for the copies of documents. */
export const REPORTING_TABLES: readonly Table[] = (Object.keys(REPORTING_VIEWS) as Table[]).filter(
  (table) => table !== 'documents',
);
