/** The same statements with a filter that somebody wrote by hand, for a login whom no policy holds. */
import type { Read } from './statements.ts';

const OF_CLIENT = 't.client_id = any ($clients)';

/** What makes a row of a table `t` one of the clients’, as a person would write it where there are no policies. */
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

/** The filter of a table `t`, with the clients written out, so that the planner sees how many they are. */
export function filterOf(table: string, clients: readonly string[]): string {
  const filter = FILTERS[table];
  if (filter === undefined) throw new Error(`how is ${table} filtered by hand? Say so in bench/endpoints`);
  return filter.replaceAll('$clients', `'{${clients.join(',')}}'::uuid[]`);
}

/**
 * The texts of which the first that gives the same rows is what a person would write. A statement that names the
 * client, or walks the caller’s clients by itself, may be filtered already; otherwise every table of it is.
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
