import { randomUUID } from 'node:crypto';

/* This module builds a row for each table that has rows of tenants. All tests that insert such rows use this module. */

export type Values = Readonly<Record<string, unknown>>;

/** The tables in which a test tenant has a row. `biller` is a partner with bills, `newcomer` a user without clients. */
export const KINDS = [
  ...(['clients', 'sites', 'cadastres', 'reclamations', 'reclamation_history', 'documents', 'notes'] as const),
  ...(['partners', 'biller', 'factures', 'partner_invoices', 'users', 'newcomer'] as const),
  ...(['audit_logs', 'identity_changes'] as const),
] as const;

/** The records of a test tenant: for each table the id of one record, all of the same client. */
export type Tenant = Readonly<Record<(typeof KINDS)[number], string>>;

interface Kind {
  /** Returns the required columns of a tenant’s row, without the references to other records. */
  readonly least: (id: string) => Values;
  /** Returns the columns of a tenant’s row that refer to other records of the tenant. */
  readonly of: (tenant: Tenant) => Values;
  /** The name of a column of the table that tests change, and a value for it that no inserted row has. */
  readonly change: readonly [column: string, value: unknown];
}

const nothing = (): Values => ({});

export const ROWS = {
  clients: {
    least: () => ({ company_name: 'Boulangerie Martin', contact_email: 'a@b.example' }),
    of: nothing,
    change: ['address', 'Lyon'],
  },
  sites: {
    least: () => ({ site_name: 'Siège' }),
    of: ({ clients }) => ({ client_id: clients }),
    change: ['address', 'Lyon'],
  },
  cadastres: {
    least: () => ({ commune_code: '75056', section: 'AB', number: '0001' }),
    of: ({ sites }) => ({ site_id: sites }),
    change: ['address', 'Lyon'],
  },
  reclamations: {
    least: () => ({ claim_type: 'TF', amount: 1200.5 }),
    of: ({ clients, sites }) => ({ client_id: clients, site_id: sites }),
    change: ['grounds', 'surface'],
  },
  reclamation_history: {
    least: () => ({ from_status: 'DRAFT', to_status: 'DRAFT', actor: 'fixture' }),
    of: ({ clients, reclamations }) => ({ client_id: clients, reclamation_id: reclamations }),
    change: ['actor', 'somebody else'],
  },
  documents: {
    least: (id) => ({ filename: 'avis.txt', file_path: id, file_size: 4, mime_type: 'text/plain' }),
    of: ({ reclamations }) => ({ reclamation_id: reclamations }),
    change: ['filename', 'other.pdf'],
  },
  notes: {
    // The due date of the test tenant’s task is beyond every range of days that tests use.
    least: () => ({ text: 'Appeler la mairie', internal: false, due_on: '2190-01-31' }),
    of: ({ clients, reclamations, users }) => ({
      ...{ client_id: clients, reclamation_id: reclamations, author_id: users },
    }),
    change: ['text', 'Rappeler la mairie'],
  },
  partners: { least: () => ({ name: 'Cabinet Dubois' }), of: nothing, change: ['phone', '0102030405'] },
  client_partners: {
    least: nothing,
    of: ({ clients, partners }) => ({ client_id: clients, partner_id: partners }),
    change: ['created_at', '2020-01-01'],
  },
  factures: {
    least: () => ({ amount_excl_tax: 10 }),
    of: ({ clients }) => ({ client_id: clients }),
    change: ['due_date', '2030-01-01'],
  },
  partner_invoices: {
    least: () => ({ number: 'F-1', amount_excl_tax: 10 }),
    of: ({ clients, biller }) => ({ client_id: clients, partner_id: biller }),
    change: ['due_date', '2030-01-01'],
  },
  users: {
    least: (id) => ({ email: `${id}@b.example`, password_hash: '!', name: 'Ada', role: 'TAX_SPECIALIST' }),
    of: ({ clients }) => ({ client_access: [clients] }),
    change: ['name', 'Renamed'],
  },
  audit_logs: {
    least: () => ({ action: 'GET /x', resource_type: 'clients', success: false, actor: 'fixture' }),
    of: ({ clients }) => ({ client_context: clients }),
    change: ['action', 'nothing happened'],
  },
  identity_changes: {
    least: () => ({ actor: 'fixture', role: 'TAX_SPECIALIST', is_active: true, ends_tokens: false }),
    of: ({ clients, users }) => ({ user_id: users, client_access: [clients] }),
    change: ['attempts', 9],
  },
} as const satisfies Record<string, Kind>;

type RowTable = keyof typeof ROWS;

/** Writes a value as an SQL literal, which Postgres converts to the type of the column. */
export function literal(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = Array.isArray(value) ? `{${value.join()}}` : (value as string);
  return `'${text.replaceAll("'", "''")}'`;
}

function rowSql(table: RowTable, { id = randomUUID(), ...values }: Values & { id?: string }): string {
  const named = table === 'client_partners' ? values : { id, ...ROWS[table].least(id), ...values };
  return `insert into public.${table} (${Object.keys(named).join(', ')}) values (${Object.values(named).map(literal).join(', ')});`;
}

export function rowOf(table: RowTable, tenant: Tenant, values: Values = {}): string {
  const id = table === 'client_partners' ? undefined : tenant[table];
  return rowSql(table, { ...(id !== undefined && { id }), ...ROWS[table].of(tenant), ...values });
}

interface Superuser {
  readonly admin: (text: string, values?: unknown[]) => Promise<unknown>;
}

/** Inserts a row of a tenant into a table and returns the id of the row. */
export async function make({ admin }: Superuser, table: RowTable, values: Values = {}): Promise<string> {
  const id = (values['id'] as string | undefined) ?? randomUUID();
  await admin(rowSql(table, { ...values, id }));
  return id;
}
