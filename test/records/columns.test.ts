import { describe, expect, test } from '@jest/globals';
import { allEndpoints } from '../../src/resources/index.ts';
import type { RecordShape } from '../../src/http/endpoint.ts';
import { startService } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { ROWS } from '../resources/access.ts';
import { giveTo } from '../resources/situations.ts';
import { forSuite } from '../support/suite.ts';

/*
 * This suite tests that each database column is in the API’s record of its table or in the list of hidden columns, and
 * can be changed.
 */

/**
 * Columns that no record of the API shows: secrets, links to the identity provider, paths of document contents, and
 * copies.
 */
const HIDDEN: Readonly<Record<string, readonly string[]>> = {
  users: [
    ...[
      'password_hash',
      'subject',
      'access_changed_at',
      'access_digest',
      'sessions_ended_at',
      'calendar_digest',
      'erased_at',
    ],
    // GET /api/users/me/reminders shows the columns for reminders, and the user’s record does not.
    ...['language', 'reminder_kinds', 'reminders_only_mine'],
  ],
  reclamation_history: ['client_id', 'court_before'],
  audit_logs: ['oldest_writer', 'changed', 'writer', 'kind', 'internal'],
  identity_changes: ['claim', 'claimed_until', 'erased_subject'],
  reclamation_transitions: ['from_status', 'to_status', 'role', 'condition'],
  invoice_transitions: ['table_name', 'from_status', 'to_status', 'role'],
  // The columns `search_text` repeat the texts of other columns, which the records show.
  clients: ['search_text'],
  sites: ['search_text'],
  cadastres: ['search_text'],
  reclamations: ['search_text'],
};

/** Tables whose rows the API shows as part of another record, or does not show at all. */
const PARTS = ['client_partners', 'communes', 'invoice_counters', 'public_holidays'];

interface Described extends RecordShape {
  readonly columns: Readonly<
    Record<string, { readonly sql?: string; readonly change?: string; readonly kind: { readonly type: string } }>
  >;
}

/** For each table the API’s record that shows the most columns of the table. */
const records = new Map(
  allEndpoints
    .flatMap(({ of }) => (of === undefined ? [] : [of as Described]))
    .toSorted((one, other) => Object.keys(one.columns).length - Object.keys(other.columns).length)
    .map((of) => [of.table, of]),
);

const service = await forSuite(startService());

test('each column of each database table is shown in the API’s record of the table, or listed as hidden', async () => {
  const rows = await service.admin(
    `select c.relname as table_name, a.attname as column_name
     from pg_class as c
     join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
     order by c.relname, a.attnum`,
  );
  const tables = Map.groupBy(rows, (row) => String(row['table_name']));
  for (const [table, columns] of tables) {
    if (PARTS.includes(table)) continue;
    const names = columns.map((column) => String(column['column_name']));
    const shown = Object.entries(records.get(table)?.columns ?? {}).flatMap(([name, { sql }]) =>
      sql === undefined || names.includes(name) ? [name] : [],
    );
    expect([table, [...shown, ...(HIDDEN[table] ?? [])].toSorted()]).toEqual([table, names.toSorted()]);
  }
  expect([...tables.keys()].toSorted()).toEqual([...records.keys(), ...PARTS].toSorted());
});

/** For each column type a value that differs from the value in the row that the test stores. */
const OF_TYPE: Readonly<Record<string, unknown>> = {
  text: 'Autre texte',
  integer: 2023,
  numeric: 12.5,
  date: '2025-08-31',
  timestamptz: '2025-01-31T12:00:00.000Z',
  boolean: true,
};

/** Values for fields that do not accept the general value of their column’s type. */
const VALUES: Readonly<Record<string, (tenant: Tenant, other: Tenant) => unknown>> = {
  contact_email: () => 'autre@b.example',
  commune_code: () => '2A004',
  prefix: () => '123',
  section: () => 'ZZ',
  number: () => '4321',
  claim_type: () => 'CFE',
  kind: () => 'DECISION',
  collection_date: () => '2024-08-31',
  deadline_basis: () => 'EVENT',
  instance: () => 'TA',
  assignee_id: ({ users }) => users,
  vat_rate: () => 5.5,
  siren: () => '732829320',
  siret: () => '73282932000074',
  phone: () => '0102030405',
  vat_amount: () => 1,
  amount_incl_tax: () => 11,
  email: () => 'autre@users.example',
  role: () => 'CLIENT',
  invoice_id: ({ factures }) => factures,
  reclamation_id: ({ reclamations }) => reclamations,
  site_id: (_tenant, other) => other.sites,
};

/**
 * Fields that a request must change together with another field, and fields that only a status change sets or that
 * follow from other fields.
 */
const TOGETHER: Readonly<Record<string, object>> = {
  amount_incl_tax: { vat_amount: 1 },
  vat_amount: {},
  claim_deadline: { deadline_basis: 'EVENT' },
};
const ELSEWHERE = [
  ...['status', 'paid_at', 'response_due_at', 'regularisation_due_on'],
  ...['factures.kind', 'factures.credits_id'],
];

describe('a change of a record', () => {
  const changes = ROWS.filter(({ line, body }) => line.startsWith('PUT') && body !== undefined);

  test.each(changes.map((row) => [row.line, row] as const))(
    'the endpoint %s stores every field that its request body accepts',
    async (line, row) => {
      const [table] = row.right;
      const columns = Object.entries(records.get(table)?.columns ?? {});
      const taken = columns.flatMap(([name, { change }]) =>
        change === 'set' && !ELSEWHERE.includes(name) && !ELSEWHERE.includes(`${table}.${name}`) ? [name] : [],
      );
      expect(taken.length).toBeGreaterThan(0);
      const token = await service.token('ADMIN');
      for (const name of taken) {
        const tenant = await service.furnishedTenant('Boulangerie Martin');
        await giveTo(service, 'ADMIN', row, tenant);
        const second = tenant.sites;
        const other = { ...tenant, sites: second };
        if (name === 'site_id') {
          const [made] = await service.sql`insert into public.sites (client_id, site_name)
            values (${tenant.clients}, 'Annexe') returning id`;
          other.sites = String(made?.['id']);
        }
        const type = records.get(table)?.columns[name]?.kind.type ?? '';
        const value = VALUES[name]?.(tenant, other) ?? OF_TYPE[type];
        expect([name, value]).toEqual([name, expect.anything()]);
        const id = tenant[Object.values(row.ids ?? {})[0] ?? 'clients'];
        const path = line.replace(/\{\w+\}/, id);
        const answer = await service.ask(path, { token, body: { ...TOGETHER[name], [name]: value } });
        expect([name, answer.status]).toEqual([name, 200]);
        const [stored] = await service.admin(
          `select to_jsonb(r) -> '${name}' as value from public.${table} as r where id = $1`,
          [id],
        );
        const shown = (answer.json as Record<string, unknown>)[name];
        expect([name, shown]).toEqual([name, value]);
        if (type !== 'timestamptz') expect([name, stored?.['value']]).toEqual([name, value]);
      }
    },
  );
});
