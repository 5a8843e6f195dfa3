/**
 * Who may do what, written a second time and from the requirements, not from the policies: the tests hold the
 * database against this page. c create, r read, u update, d delete; all but ADMIN's within the caller's clients.
 */
export const REQUEST_ROLES = [
  'admin',
  'scoped_admin',
  'account_manager',
  'tax_specialist',
  'client',
] as const;
export type RequestRole = (typeof REQUEST_ROLES)[number];

type Rights = Readonly<Record<RequestRole, string>>;

const staff = (admin: string, manager: string, specialist: string, client: string): Rights => ({
  admin,
  scoped_admin: admin,
  account_manager: manager,
  tax_specialist: specialist,
  client,
});

export const RIGHTS = {
  clients: staff('crud', 'cru', 'r', 'r'),
  sites: staff('crud', 'crud', 'cru', 'r'),
  cadastres: staff('crud', 'crud', 'cru', 'r'),
  reclamations: staff('crud', 'crud', 'cru', 'r'),
  reclamation_history: staff('r', 'r', 'r', 'r'),
  documents: staff('crd', 'crd', 'crd', 'cr'),
  partners: staff('crud', 'cru', 'r', ''),
  client_partners: staff('crd', 'crd', 'r', ''),
  factures: staff('crud', 'cru', 'r', 'r'),
  partner_invoices: staff('crud', 'cru', '', ''),
  users: staff('cru', 'r', 's', 's'),
  audit_logs: staff('r', '', '', ''),
  identity_changes: staff('r', '', '', ''),
} as const satisfies Record<string, Rights>;

export type Table = keyof typeof RIGHTS;
export const TABLES = Object.keys(RIGHTS) as Table[];

const PARTNER = ['name', 'siret', 'contact_email', 'phone', 'address', 'commission_rate'];
const PARCEL = [
  'commune_code',
  'prefix',
  'section',
  'number',
  'area_m2',
  'address',
  'rental_value',
  'reference_year',
];
const CLAIM = [
  'site_id',
  'claim_type',
  'amount',
  'tax_year',
  'commune_code',
  'notice_reference',
  'collection_date',
  'submitted_at',
  'decision_date',
  'court_deadline',
  'granted_amount',
  'refund_amount',
  'grounds',
  'assignee_id',
];
const BILL = [
  'invoice_id',
  'number',
  'issue_date',
  'due_date',
  'amount_excl_tax',
  'vat_rate',
  'vat_amount',
  'amount_incl_tax',
];

/** The columns that a right to create or to update reaches; a right to read reaches all but the hidden ones. */
export const COLUMNS: Readonly<
  Record<Table, { insert: readonly string[]; update: readonly string[]; hidden?: readonly string[] }>
> = {
  clients: {
    insert: ['id', 'company_name', 'contact_email', 'address'],
    update: ['company_name', 'contact_email', 'address'],
  },
  sites: { insert: ['id', 'client_id', 'site_name', 'address'], update: ['site_name', 'address'] },
  cadastres: { insert: ['id', 'site_id', ...PARCEL], update: PARCEL },
  reclamations: { insert: ['id', 'client_id', ...CLAIM], update: ['status', ...CLAIM] },
  reclamation_history: { insert: [], update: [] },
  documents: {
    insert: ['id', 'reclamation_id', 'filename', 'file_path', 'file_size', 'mime_type', 'sha256'],
    update: [],
  },
  partners: { insert: ['id', ...PARTNER], update: PARTNER },
  client_partners: { insert: ['client_id', 'partner_id'], update: [] },
  factures: {
    insert: ['id', 'client_id', 'reclamation_id', 'issue_date', 'due_date', 'amount_excl_tax', 'vat_rate'],
    update: ['reclamation_id', 'status', 'issue_date', 'due_date', 'amount_excl_tax', 'vat_rate', 'paid_at'],
  },
  partner_invoices: { insert: ['id', 'partner_id', 'client_id', ...BILL], update: ['status', ...BILL] },
  users: {
    insert: ['id', 'email', 'password_hash', 'name', 'role', 'client_access', 'is_active'],
    update: ['email', 'password_hash', 'name', 'role', 'client_access', 'is_active'],
    hidden: ['password_hash', 'subject', 'access_changed_at', 'access_digest', 'sessions_ended_at'],
  },
  audit_logs: { insert: [], update: [], hidden: ['oldest_writer'] },
  identity_changes: { insert: [], update: [], hidden: ['claim', 'claimed_until'] },
};

/** What a reporting login must not read of a record. */
export const REPORTING_HIDDEN: Partial<Record<Table, readonly string[]>> = {
  // The same texts once more, for the lists of the interface.
  clients: ['search_text'],
  sites: ['search_text'],
  cadastres: ['search_text'],
  reclamations: ['search_text'],
  // Of use to whoever downloads the content, which no reporting login does.
  documents: ['file_path', 'sha256'],
  reclamation_history: ['actor'],
  // The list names clients of others.
  users: [
    'password_hash',
    'subject',
    'access_changed_at',
    'access_digest',
    'sessions_ended_at',
    'client_access',
  ],
};
/** The tables that a reporting login reads, column by column; every other is closed to it. */
export const REPORTING_TABLES: readonly Table[] = [
  'clients',
  'sites',
  'cadastres',
  'reclamations',
  'reclamation_history',
  'partners',
  'client_partners',
  'factures',
  'partner_invoices',
  'users',
];

/** The views of the reporting surface by what they show, with the columns that they add. */
export const REPORTING_VIEWS: Partial<Record<Table, { view: string; adds?: readonly string[] }>> = {
  clients: { view: 'clients' },
  sites: { view: 'sites' },
  cadastres: { view: 'cadastres', adds: ['client_id'] },
  reclamations: { view: 'reclamations' },
  reclamation_history: { view: 'reclamation_history' },
  documents: { view: 'documents', adds: ['client_id'] },
  partners: { view: 'partners' },
  client_partners: { view: 'client_partners' },
  factures: { view: 'invoices', adds: ['amount_paid', 'amount_outstanding'] },
  partner_invoices: { view: 'partner_invoices', adds: ['amount_paid', 'amount_outstanding'] },
  users: { view: 'users' },
};
