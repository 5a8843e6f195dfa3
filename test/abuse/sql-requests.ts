import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overSql } from './over-sql.ts';
import type { SqlRow } from './over-sql.ts';
import { everyTable, forbidden, harmless, locks } from './sql-anybody.ts';
import type { World } from './world.ts';

/*
 * Attacks by SQL that an attacker would inject into a request. The SQL runs with the role and the client of the
 * request. To check these attacks, their author once changed the policies of public.sites to `using (true)`: some
 * attacks then succeeded.
 */

const ROLES = ['scoped_admin', 'account_manager', 'tax_specialist', 'client'] as const;

/** SQL that would connect a row of one tenant with another tenant, and SQL that reads internal tables. */
function crossing({ mine, foreign }: World): SqlRow[] {
  const source = 'rls-pitfalls 9, 12, 14';
  const id = crypto.randomUUID();
  const statements = [
    ...[
      `clients (id, company_name, contact_email) values ('${id}', 'x', 'a@b.example')`,
      ...['', 'on conflict do nothing', `on conflict (id) do update set company_name = 'x'`].map(
        (after) =>
          `clients (id, company_name, contact_email) values ('${foreign.clients}', 'x', 'a@b.example') ${after}`,
      ),
      `sites (id, client_id, site_name) values ('${id}', '${foreign.clients}', 'x')`,
      `sites (id, client_id, site_name) values ('${foreign.sites}', '${foreign.clients}', 'x') on conflict do nothing`,
      `cadastres (id, site_id, commune_code, section, number) values ('${id}', '${foreign.sites}', '75056', 'AB', '0002')`,
      ...[
        [mine.clients, foreign.sites],
        [foreign.clients, mine.sites],
        [foreign.clients, foreign.sites],
      ].map(
        (both) =>
          `reclamations (id, client_id, site_id, claim_type, amount) values ('${id}', '${both.join("', '")}', 'TF', 1)`,
      ),
      `documents (id, reclamation_id, filename, file_path) values ('${id}', '${foreign.reclamations}', 'x', 'x')`,
      ...[
        [foreign.clients, foreign.reclamations, mine.users],
        [mine.clients, foreign.reclamations, mine.users],
        [mine.clients, mine.reclamations, foreign.users],
      ].map(
        (all) =>
          `notes (id, client_id, reclamation_id, author_id, text, internal) values ('${id}', '${all.join("', '")}', 'x', false)`,
      ),
      `factures (id, client_id, amount_excl_tax) values ('${id}', '${foreign.clients}', 1)`,
      `factures (id, client_id, reclamation_id, amount_excl_tax) values ('${id}', '${mine.clients}', '${foreign.reclamations}', 1)`,
      `partner_invoices (id, client_id, partner_id, number, amount_excl_tax) values ('${id}', '${mine.clients}', '${foreign.biller}', 'x', 1)`,
      `client_partners (client_id, partner_id) values ('${mine.clients}', '${foreign.partners}')`,
      `client_partners (client_id, partner_id) values ('${foreign.clients}', '${mine.partners}')`,
      `users (id, email, password_hash, name, role, client_access) values ('${id}', 'x@y.example', '!', 'x', 'CLIENT', '{${foreign.clients}}')`,
      `users (id, email, password_hash, name, role) values ('${id}', 'x@y.example', '!', 'x', 'ADMIN')`,
      `audit_logs (id, action, resource_type, success, actor) values ('${id}', 'x', 'x', true, 'x')`,
      `reclamation_history (id, reclamation_id, client_id, from_status, to_status, actor) values ('${id}', '${mine.reclamations}', '${mine.clients}', 'DRAFT', 'DRAFT', 'x')`,
    ].map((row) => `insert into public.${row}`),
    ...['sites', 'reclamations', 'factures', 'partner_invoices'].map(
      (table) => `update public.${table} set client_id = '${foreign.clients}'`,
    ),
    `update public.reclamations set site_id = '${foreign.sites}'`,
  ];
  return [
    ...statements.map((sql): SqlRow => [sql, source, '42501|23503', sql]),
    [
      'access to a foreign client by app.assign_client',
      source,
      '42501|23503|P0001|TX401|TX403|42883',
      `select app.assign_client('${mine.users}', '${foreign.clients}', true, null)`,
    ],
    ...alike([source, '42501'], {
      'access to a foreign client by app.gain_client': `select app.gain_client('${foreign.clients}', now(), '')`,
      'the stored answers of idempotent requests': 'select * from app.idempotency_keys',
      'the table of document links': 'select * from app.document_links',
      'a link to a foreign document by app.link_document': `select app.link_document('x', '${foreign.documents}', '${foreign.clients}', now(), '')`,
      'the table of created clients': 'select * from app.created_clients',
      'an update of the invoice counter': 'update public.invoice_counters set last_number = 1',
      'a deletion of the allowed moves of claims': `delete from public.reclamation_transitions`,
      'the password hashes of users': 'select password_hash from public.users',
      'the calendar digests of users': 'select calendar_digest from public.users',
      'the subjects of users': 'select subject from public.users',
    }),
    [
      'app.may_link_partner with a foreign partner',
      source,
      'rows|42501',
      `select app.may_link_partner('${foreign.partners}')`,
    ],
  ];
}

export const sqlRequests: Area = {
  name: 'sql-requests',
  attacks: (world) =>
    ROLES.flatMap((role) => {
      const { mine, logins } = world;
      const before = `set local app.client_access = '{${mine.clients}}'; set local app.user_id = '${mine.users}'; set local app.actor = 'abuse'; set local role taxclaims_${role}`;
      const rows = [...forbidden(), ...locks('lock|do|42501'), ...harmless(), ...everyTable(world), ...crossing(world)];
      return overSql(logins.api, before, rows).map((attack) => ({
        ...attack,
        tries: `${role}: ${attack.tries}`,
      }));
    }),
};
