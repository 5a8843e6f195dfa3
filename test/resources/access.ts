import type { Role } from '../../src/identity/caller.ts';
import type { Question } from '../support/http.ts';
import type { Tenant } from '../support/tenant.ts';

/*
 * This table of rights says what each role is allowed to do through HTTP. The table is written from the requirements
 * and not copied from the endpoints, and tests compare the service with the table.
 */

/**
 * Each letter stands for a right of a role on a table: c create, r read, u update, d delete, a assign a client to a
 * user, h read a record’s list of changes, s read only the caller’s own record, p read the personal data of a user, o
 * read only one’s own personal data, e erase a user. All rights are limited to the caller’s clients, except for an
 * ADMIN of all clients.
 */
type Right = 'c' | 'r' | 'u' | 'd' | 'a' | 'h' | 'p' | 'e';

export const rights = (admin: string, manager: string, specialist: string, client: string): Record<Role, string> => ({
  ADMIN: admin,
  ACCOUNT_MANAGER: manager,
  TAX_SPECIALIST: specialist,
  CLIENT: client,
});

export const RIGHTS = {
  clients: rights('crudh', 'cruh', 'rh', 'r'),
  sites: rights('crudh', 'crudh', 'cruh', 'r'),
  cadastres: rights('crudh', 'crudh', 'cruh', 'r'),
  reclamations: rights('crudh', 'crudh', 'cruh', 'r'),
  documents: rights('crudh', 'crudh', 'crudh', 'cr'),
  // The row `notes` has each role’s rights on the caller’s own notes; test/resources/notes.test.ts tests notes of other
  // authors.
  notes: rights('crudh', 'crudh', 'crudh', 'crud'),
  partners: rights('crudh', 'cruh', 'rh', ''),
  factures: rights('crudh', 'cruh', 'rh', 'r'),
  partner_invoices: rights('crudh', 'cruh', '', ''),
  users: rights('cruahpe', 'raho', 'so', 'so'),
  audit_logs: rights('r', '', '', ''),
  identity_changes: rights('r', '', '', ''),
} as const;

export const PAGE_ROLES = Object.keys(RIGHTS.clients) as Role[];

type Table = keyof typeof RIGHTS;

export interface Row {
  /** The method and the path of the endpoint as the OpenAPI document writes them, such as `GET /api/sites/{id}`. */
  readonly line: string;
  /**
   * The database table and the right on it that a caller of the endpoint needs. With `everyone`, any caller with a
   * token may call the endpoint, and the second value is the table that a refusal’s audit record names.
   */
  readonly right: readonly [Table, Right] | readonly ['everyone', string];
  /**
   * For each placeholder of an endpoint’s path, such as `{id}`, the table of the record that the id names. The first
   * placeholder names the record that the request reads or changes.
   */
  readonly ids?: Readonly<Record<string, keyof Tenant>>;
  /** The name of the query parameter that limits the endpoint’s list to one client. */
  readonly byClient?: string;
  /** Returns a valid request body for the endpoint, whose ids belong to records of the given client. */
  readonly body?: (tenant: Tenant) => Readonly<Record<string, unknown>>;
  /** True if the endpoint’s request body is an array of several objects, as in an import. */
  readonly many?: true;
  /** True if the endpoint’s request body is a list of changes, each with the id of the record to change. */
  readonly changes?: true;
  /** For each field of the endpoint’s request body that holds the id of another record, the table of that record. */
  readonly names?: Readonly<Record<string, keyof Tenant>>;
  /** Builds a valid request for an endpoint whose request body is not JSON, such as an upload of a file. */
  readonly question?: () => Question;
  /** The column with the author’s user id, if the endpoint lets only the author of a record change it. */
  readonly ofCaller?: string;
  /** Further tables into which a request to the endpoint writes, each with an audit record of its own. */
  readonly along?: readonly string[];
  /** True if the endpoint is a POST that changes the record in its path and answers 204. */
  readonly erases?: true;
  /** True if the endpoint is a POST that stores nothing in the database. */
  readonly writesNothing?: true;
  /** True if the endpoint’s successful response has no ETag. */
  readonly untagged?: true;
  /**
   * Returns an object that the endpoint’s list must contain for the given client. Only lists whose objects have no ids
   * need this function.
   */
  readonly shows?: (tenant: Tenant) => object;
}

type Fields = (tenant: Tenant) => Readonly<Record<string, unknown>>;

/** Returns the five endpoints of a resource such as sites: create, list, read, change and delete. */
function resource(
  table: Table,
  path: string,
  { create, change, names }: { create: Fields; change: Fields; names: Row['names'] },
  placeholder = 'id',
): Row[] {
  const one = `${path}/{${placeholder}}`;
  const ids = { [placeholder]: table };
  return [
    { line: `GET ${path}`, right: [table, 'r'], ...(table !== 'clients' && { byClient: 'client_id' }) },
    { line: `POST ${path}`, right: [table, 'c'], body: create, ...(names && { names }) },
    { line: `GET ${one}`, right: [table, 'r'], ids },
    { line: `PUT ${one}`, right: [table, 'u'], ids, body: change },
    { line: `GET ${one}/changes`, right: [table, 'h'], ids },
    { line: `DELETE ${one}`, right: [table, 'd'], ids },
  ];
}

let serial = 0;
const unique = (): string => String((serial += 1)).padStart(4, '0');

const CLIENTS = resource(
  'clients',
  '/api/clients',
  {
    create: () => ({ company_name: 'Boulangerie Martin', contact_email: 'a@b.example' }),
    change: () => ({ address: 'Lyon' }),
    names: undefined,
  },
  'clientId',
);

const SITES = resource('sites', '/api/sites', {
  create: ({ clients }) => ({ client_id: clients, site_name: 'Entrepôt' }),
  change: ({ clients }) => ({ client_id: clients, site_name: 'Atelier' }),
  names: { client_id: 'clients' },
});

const CADASTRES = resource('cadastres', '/api/cadastres', {
  create: ({ sites }) => ({ site_id: sites, commune_code: '2A004', section: 'AB', number: unique() }),
  change: () => ({ area_m2: 120 }),
  names: { site_id: 'sites' },
});

const RECLAMATIONS = resource('reclamations', '/api/reclamations', {
  create: ({ clients, sites }) => ({ client_id: clients, site_id: sites, claim_type: 'TF', amount: '1200.50' }),
  change: ({ clients }) => ({ client_id: clients, grounds: 'Erreur de surface' }),
  names: { client_id: 'clients', site_id: 'sites' },
});

/** The import endpoints. An import needs the right and fields of a creation, and creates many records at once. */
const IMPORTS = [...SITES, ...RECLAMATIONS]
  .filter(({ right: [, letter] }) => letter === 'c')
  .map((row): Row => ({ ...row, line: `${row.line}/import`, many: true, untagged: true }));

const PARTNERS = resource('partners', '/api/partners', {
  create: ({ clients }) => ({ name: 'Cabinet Dubois', client_ids: [clients] }),
  change: () => ({ phone: '0102030405' }),
  names: { client_ids: 'clients' },
}).map((row): Row => ({ ...row, along: ['client_partners'] }));

const INVOICES = resource('factures', '/api/invoices', {
  create: ({ clients, reclamations }) => ({ client_id: clients, reclamation_id: reclamations, amount_excl_tax: 100 }),
  change: ({ clients }) => ({ client_id: clients, due_date: '2030-01-31' }),
  names: { client_id: 'clients', reclamation_id: 'reclamations' },
});

const PARTNER_INVOICES = resource('partner_invoices', '/api/partner-invoices', {
  create: ({ clients, biller, factures }) => ({
    client_id: clients,
    partner_id: biller,
    invoice_id: factures,
    number: `F-${unique()}`,
    amount_excl_tax: 100,
  }),
  change: ({ clients }) => ({ client_id: clients, due_date: '2030-01-31' }),
  names: { client_id: 'clients', partner_id: 'biller', invoice_id: 'factures' },
});

/** The bulk change endpoints. A bulk change needs the right and fields of a change, and changes many records. */
const CHANGES = [...RECLAMATIONS, ...INVOICES, ...PARTNER_INVOICES]
  .filter(({ right: [, letter] }) => letter === 'u')
  .map(
    ({ line, right, body }): Row => ({
      ...{ line: line.replace('PUT', 'POST').replace('{id}', 'changes'), right, changes: true, untagged: true },
      ...(body && { body }),
    }),
  );

const BOUNDARY = 'the-boundary-of-the-form';

function upload(): Question {
  const head = 'Content-Disposition: form-data; name="file"; filename="avis.txt"\r\nContent-Type: text/plain';
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: `--${BOUNDARY}\r\n${head}\r\n\r\nAvis\r\n--${BOUNDARY}--\r\n`,
  };
}

const DOCUMENTS: readonly Row[] = [
  { line: 'GET /api/reclamations/{id}/documents', right: ['documents', 'r'], ids: { id: 'reclamations' } },
  {
    line: 'POST /api/reclamations/{id}/documents',
    right: ['documents', 'c'],
    ids: { id: 'reclamations' },
    question: upload,
  },
  { line: 'GET /api/reclamations/{id}/documents.zip', right: ['documents', 'r'], ids: { id: 'reclamations' } },
  { line: 'GET /api/documents', right: ['documents', 'r'], byClient: 'client_id' },
  { line: 'GET /api/documents/{id}', right: ['documents', 'r'], ids: { id: 'documents' } },
  { line: 'GET /api/documents/{id}/content', right: ['documents', 'r'], ids: { id: 'documents' } },
  {
    line: 'POST /api/documents/{id}/link',
    right: ['documents', 'r'],
    ids: { id: 'documents' },
    ...{ untagged: true, writesNothing: true },
  },
  {
    line: 'PUT /api/documents/{id}',
    right: ['documents', 'u'],
    ids: { id: 'documents' },
    body: () => ({ kind: 'AVIS', filename: 'avis.pdf' }),
  },
  { line: 'GET /api/documents/{id}/changes', right: ['documents', 'h'], ids: { id: 'documents' } },
  { line: 'DELETE /api/documents/{id}', right: ['documents', 'd'], ids: { id: 'documents' } },
];

const NOTES: readonly Row[] = [
  { line: 'GET /api/tasks', right: ['notes', 'r'], byClient: 'client_id' },
  { line: 'GET /api/reclamations/{id}/notes', right: ['notes', 'r'], ids: { id: 'reclamations' } },
  {
    line: 'POST /api/reclamations/{id}/notes',
    right: ['notes', 'c'],
    ids: { id: 'reclamations' },
    body: () => ({ text: 'La mairie rappelle demain' }),
  },
  { line: 'GET /api/notes/{id}', right: ['notes', 'r'], ids: { id: 'notes' } },
  { line: 'GET /api/notes/{id}/changes', right: ['notes', 'h'], ids: { id: 'notes' } },
  {
    line: 'PUT /api/notes/{id}',
    right: ['notes', 'u'],
    ids: { id: 'notes' },
    body: () => ({ text: 'La mairie a rappelé' }),
    ofCaller: 'author_id',
  },
  { line: 'DELETE /api/notes/{id}', right: ['notes', 'd'], ids: { id: 'notes' }, ofCaller: 'author_id' },
];

const USERS: readonly Row[] = [
  { line: 'GET /api/users', right: ['users', 'r'], byClient: 'client_id' },
  {
    line: 'POST /api/users',
    right: ['users', 'c'],
    body: ({ clients }) => ({
      email: `new-${unique()}@b.example`,
      name: 'Chloé',
      role: 'TAX_SPECIALIST',
      client_access: [clients],
    }),
    names: { client_access: 'clients' },
  },
  { line: 'GET /api/users/{id}', right: ['users', 'r'], ids: { id: 'users' } },
  { line: 'PUT /api/users/{id}', right: ['users', 'u'], ids: { id: 'users' }, body: () => ({ name: 'Zoé' }) },
  { line: 'GET /api/users/{id}/changes', right: ['users', 'h'], ids: { id: 'users' } },
  {
    line: 'PUT /api/users/{id}/client-access/{clientId}',
    right: ['users', 'a'],
    ids: { id: 'newcomer', clientId: 'clients' },
  },
  {
    line: 'DELETE /api/users/{id}/client-access/{clientId}',
    right: ['users', 'a'],
    ids: { id: 'users', clientId: 'clients' },
  },
  { line: 'GET /api/users/{id}/personal-data', right: ['users', 'p'], ids: { id: 'users' }, untagged: true },
  { line: 'POST /api/users/{id}/erasure', right: ['users', 'e'], ids: { id: 'users' }, erases: true, untagged: true },
];

export const ROWS: readonly Row[] = [
  { line: 'GET /api/auth/profile', right: ['everyone', 'users'], untagged: true },
  { line: 'GET /api/users/me', right: ['everyone', 'users'], untagged: true },
  { line: 'GET /api/users/me/rights', right: ['everyone', 'users'], untagged: true },
  { line: 'GET /api/users/me/reminders', right: ['everyone', 'users'], untagged: true },
  { line: 'GET /api-json', right: ['everyone', 'description'], untagged: true },
  { line: 'GET /api/words', right: ['everyone', 'words'], untagged: true },
  ...CLIENTS,
  { line: 'GET /api/clients/{clientId}/reclamations', right: ['reclamations', 'r'], ids: { clientId: 'clients' } },
  {
    line: 'GET /api/clients/{clientId}/assignees',
    // GET /api/clients/{id}/assignees lists assignees only for callers who are allowed to change a claim.
    right: ['reclamations', 'u'],
    ids: { clientId: 'clients' },
    untagged: true,
    shows: ({ users }) => ({ id: users, name: 'Ada' }),
  },
  ...SITES,
  ...CADASTRES,
  ...RECLAMATIONS,
  {
    line: 'GET /api/deadlines',
    right: ['reclamations', 'r'],
    byClient: 'client_id',
    untagged: true,
    shows: ({ clients }) => ({ kind: 'response', client_id: clients }),
  },
  {
    line: 'GET /api/reclamations/summary',
    right: ['reclamations', 'r'],
    byClient: 'client_id',
    untagged: true,
    shows: () => ({ status: 'SUBMITTED' }),
  },
  ...IMPORTS,
  ...CHANGES,
  { line: 'GET /api/reclamations/{id}/history', right: ['reclamations', 'r'], ids: { id: 'reclamations' } },
  { line: 'GET /api/reclamations/{id}/moves', right: ['reclamations', 'r'], ids: { id: 'reclamations' } },
  ...DOCUMENTS,
  ...NOTES,
  ...PARTNERS,
  ...INVOICES,
  {
    line: 'GET /api/invoices/summary',
    right: ['factures', 'r'],
    byClient: 'client_id',
    untagged: true,
    shows: () => ({ status: 'DRAFT' }),
  },
  { line: 'GET /api/invoices/{id}/moves', right: ['factures', 'r'], ids: { id: 'factures' } },
  ...PARTNER_INVOICES,
  {
    line: 'GET /api/partner-invoices/summary',
    right: ['partner_invoices', 'r'],
    byClient: 'client_id',
    untagged: true,
    shows: () => ({ status: 'RECEIVED' }),
  },
  { line: 'GET /api/partner-invoices/{id}/moves', right: ['partner_invoices', 'r'], ids: { id: 'partner_invoices' } },
  ...USERS,
  { line: 'GET /api/changes', right: ['everyone', 'audit_logs'], untagged: true },
  { line: 'GET /api/audit-logs', right: ['audit_logs', 'r'], byClient: 'client_context' },
  { line: 'GET /api/identity-changes', right: ['identity_changes', 'r'] },
];

/** Endpoints about the caller’s own account. Other test suites call these endpoints with every role. */
export const OF_ONESELF = [
  'PUT /api/users/me/password',
  'PUT /api/users/me/reminders',
  'POST /api/users/me/calendar',
  'DELETE /api/users/me/calendar',
];

/** Endpoints that need no access token. */
export const OPEN = ['GET /', 'GET /health', 'POST /api/auth/login', 'GET /calendar/{secret}.ics'];
