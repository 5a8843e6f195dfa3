/**
 * The SQL statements by which endpoints read, with filters that a person wrote by hand in place of row-level security.
 */
import type { Read } from './statements.ts';

const OF_CLIENT = 't.client_id = any ($clients)';

/**
 * For each table the `where` clause by which a person would select the clients’ rows without policies; `t` is the
 * table.
 */
const FILTERS: Readonly<Record<string, string>> = {
  clients: 't.id = any ($clients)',
  sites: OF_CLIENT,
  reclamations: OF_CLIENT,
  reclamation_history: OF_CLIENT,
  factures: OF_CLIENT,
  partner_invoices: OF_CLIENT,
  client_partners: OF_CLIENT,
  audit_logs: 't.client_context = any ($clients)',
  users: '(t.client_access && $clients or t.id = app.user_id())',
  cadastres: 'exists (select from public.sites as p where p.id = t.site_id and p.client_id = any ($clients))',
  documents:
    'exists (select from public.reclamations as p where p.id = t.reclamation_id and p.client_id = any ($clients))',
  partners:
    'exists (select from public.client_partners as p where p.partner_id = t.id and p.client_id = any ($clients))',
};

/**
 * Returns the handwritten `where` clause that limits a table `t` to the clients, with their ids as literals, so that
 * the planner knows their number.
 */
export function filterOf(table: string, clients: readonly string[]): string {
  const filter = FILTERS[table];
  if (filter === undefined) throw new Error(`bench/endpoints/by-hand.ts has no handwritten filter for ${table}`);
  return filter.replaceAll('$clients', `'{${clients.join(',')}}'::uuid[]`);
}

/**
 * Returns several versions of an endpoint’s SQL statement, with handwritten filters in place of policies. The benchmark
 * uses the first version that returns the same rows as the policies. A statement that names the client or joins the
 * caller’s clients can be right without a further filter. In every other statement each table gets a filter.
 */
export function byHand({ request, statement }: Read): readonly string[] {
  const { text, values } = statement;
  const { client, caller } = request;
  const clients = client === undefined ? caller.clientAccess : [client];
  const filtered = text.replaceAll(
    /(?<!')\bpublic\.(\w+)/g,
    (name, table: string) => `(select t.* from ${name} as t where ${filterOf(table, clients)})`,
  );
  const mayBeFiltered = text.includes('app.client_access()') || (client !== undefined && values.includes(client));
  return mayBeFiltered ? [text, filtered] : [filtered];
}
