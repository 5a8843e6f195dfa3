import type { Area } from './attack.ts';
import { overSql } from './over-sql.ts';
import type { SqlRow } from './over-sql.ts';
import { everyTable, forbidden, harmless, locks } from './sql-anybody.ts';
import type { World } from './world.ts';

/*
 * SQL as it would run within a request, were there a place to put it: with the request's role and its one client. Seen red
 * where the policies of public.sites are `using (true)`.
 */

const ROLES = ['scoped_admin', 'account_manager', 'tax_specialist', 'client'] as const;

/** Rows that would cross from one tenant to the other. */
function crossing({ mine, foreign }: World): SqlRow[] {
  const REFUSED = '42501|23503';
  const source = 'rls-pitfalls 9, 12, 14';
  const insert = (table: string, columns: string, values: string, after = ''): SqlRow => [
    `${table} (${columns}) of others ${after}`,
    source,
    REFUSED,
    `insert into public.${table} (${columns}) values (${values}) ${after}`,
  ];
  const id = crypto.randomUUID();
  return [
    insert('clients', 'id, company_name, contact_email', `'${id}', 'x', 'a@b.example'`),
    insert('clients', 'id, company_name, contact_email', `'${foreign.clients}', 'x', 'a@b.example'`),
    insert(
      'clients',
      'id, company_name, contact_email',
      `'${foreign.clients}', 'x', 'a@b.example'`,
      `on conflict (id) do update set company_name = 'x'`,
    ),
    insert(
      'clients',
      'id, company_name, contact_email',
      `'${foreign.clients}', 'x', 'a@b.example'`,
      'on conflict do nothing',
    ),
    insert('sites', 'id, client_id, site_name', `'${id}', '${foreign.clients}', 'x'`),
    insert(
      'sites',
      'id, client_id, site_name',
      `'${foreign.sites}', '${foreign.clients}', 'x'`,
      'on conflict do nothing',
    ),
    insert(
      'cadastres',
      'id, site_id, commune_code, section, number',
      `'${id}', '${foreign.sites}', '75056', 'AB', '0002'`,
    ),
    insert(
      'reclamations',
      'id, client_id, site_id, claim_type, amount',
      `'${id}', '${mine.clients}', '${foreign.sites}', 'TF', 1`,
    ),
    insert(
      'reclamations',
      'id, client_id, site_id, claim_type, amount',
      `'${id}', '${foreign.clients}', '${mine.sites}', 'TF', 1`,
    ),
    insert(
      'reclamations',
      'id, client_id, site_id, claim_type, amount',
      `'${id}', '${foreign.clients}', '${foreign.sites}', 'TF', 1`,
    ),
    insert(
      'documents',
      'id, reclamation_id, filename, file_path',
      `'${id}', '${foreign.reclamations}', 'x', 'x'`,
    ),
    insert('factures', 'id, client_id, amount_excl_tax', `'${id}', '${foreign.clients}', 1`),
    insert(
      'factures',
      'id, client_id, reclamation_id, amount_excl_tax',
      `'${id}', '${mine.clients}', '${foreign.reclamations}', 1`,
    ),
    insert(
      'partner_invoices',
      'id, client_id, partner_id, number, amount_excl_tax',
      `'${id}', '${mine.clients}', '${foreign.biller}', 'x', 1`,
    ),
    insert('client_partners', 'client_id, partner_id', `'${mine.clients}', '${foreign.partners}'`),
    insert('client_partners', 'client_id, partner_id', `'${foreign.clients}', '${mine.partners}'`),
    insert(
      'users',
      'id, email, password_hash, name, role, client_access',
      `'${id}', 'x@y.example', '!', 'x', 'CLIENT', '{${foreign.clients}}'`,
    ),
    insert('users', 'id, email, password_hash, name, role', `'${id}', 'x@y.example', '!', 'x', 'ADMIN'`),
    insert('audit_logs', 'id, action, resource_type, success, actor', `'${id}', 'x', 'x', true, 'x'`),
    insert(
      'reclamation_history',
      'id, reclamation_id, client_id, from_status, to_status, actor',
      `'${id}', '${mine.reclamations}', '${mine.clients}', 'DRAFT', 'DRAFT', 'x'`,
    ),
    ...['sites', 'reclamations', 'factures', 'partner_invoices'].map(
      (table): SqlRow => [
        `one’s own ${table} given to others`,
        source,
        '42501',
        `update public.${table} set client_id = '${foreign.clients}'`,
      ],
    ),
    [
      'one’s own claim put on a site of others',
      source,
      '42501|23503',
      `update public.reclamations set site_id = '${foreign.sites}'`,
    ],
    [
      'a client given to others by a function',
      source,
      '42501|23503|P0001|TX401|TX403|42883',
      `select app.assign_client('${mine.users}', '${foreign.clients}', true, null)`,
    ],
    ['a client gained', source, '42501', `select app.gain_client('${foreign.clients}', now(), '')`],
    ['a partner of others', source, 'rows|42501', `select app.partner_within_reach('${foreign.partners}')`],
    ['kept answers', source, '42501', 'select * from app.idempotency_keys'],
    ['created clients', source, '42501', 'select * from app.created_clients'],
    ['the counter of invoices', source, '42501', 'update public.invoice_counters set last_number = 1'],
    ['the rules of a claim’s life', source, '42501', `delete from public.reclamation_transitions`],
    ['secrets of users', source, '42501', 'select password_hash from public.users'],
    ['subjects of users', source, '42501', 'select subject from public.users'],
  ];
}

/** Lists of clients that are none: nothing is visible. */
const LISTS = [
  '',
  '{}',
  '{null}',
  'x',
  '{x}',
  '[]',
  '{{}}',
  'null',
  '*',
  '{*}',
  '%',
  ',',
  '{,}',
  "{''}",
  '{"',
  '{1}',
  ' ',
  '{00000000-0000-0000-0000-000000000000}',
];

function lists(): SqlRow[] {
  return ['clients', 'sites', 'reclamations', 'documents'].flatMap((table) =>
    LISTS.map(
      (list): SqlRow => [
        `the list ${list} for ${table}`,
        'rls-pitfalls 4',
        'no rows',
        `set local app.client_access = '${list.replaceAll("'", "''")}'; select id from public.${table}`,
      ],
    ),
  );
}

export const sqlRequests: Area = {
  name: 'sql-requests',
  attacks: (world) =>
    ROLES.flatMap((role) => {
      const { mine, logins } = world;
      const before = `set local app.client_access = '{${mine.clients}}'; set local app.user_id = '${mine.users}'; set local app.actor = 'abuse'; set local role taxclaims_${role}`;
      const rows = [
        ...forbidden(),
        ...locks('lock|do|42501'),
        ...harmless(),
        ...everyTable(world),
        ...crossing(world),
        ...lists(),
      ];
      return overSql(logins.api, before, rows).map((attack) => ({
        ...attack,
        tries: `${role}: ${attack.tries}`,
      }));
    }),
};
