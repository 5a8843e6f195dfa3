import type pg from 'pg';

const CLIENTS = 200;

/** Returns the id of the nth record of a kind, which is the same in every database of the benchmark. */
export const idOf = (kind: string, n: number): string => `${kind}000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const USER = idOf('a0', 1);
export const CLIENT = idOf('c1', 1);
export const FOREIGN_CLIENT = idOf('c1', 2);

const uuid = (kind: string, n: string): string =>
  `('${kind}000000-0000-4000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;

/**
 * The SQL that creates 200 clients, 20,000 claims, 40,000 documents, as many audit records, and 7,500 document contents
 * to remove.
 */
const ROWS = `
  begin;
  set local session_replication_role = replica;
  insert into public.users (id, email, password_hash, name, role, client_access, subject)
  values ('${USER}', 'manager@example.org', '!', 'Manager', 'ACCOUNT_MANAGER', array['${CLIENT}']::uuid[], 'idp|bench');
  insert into public.clients (id, company_name, contact_email)
  select ${uuid('c1', 'n')}, 'Client ' || n, 'a@b.example' from generate_series(1, ${CLIENTS}) as n;
  insert into public.sites (id, client_id, site_name)
  select ${uuid('d1', 'n')}, ${uuid('c1', 'n')}, 'Site ' || n from generate_series(1, ${CLIENTS}) as n;
  insert into public.partners (id, name)
  select ${uuid('f1', 'n')}, 'Partner ' || n from generate_series(1, ${CLIENTS}) as n;
  insert into public.client_partners (client_id, partner_id)
  select ${uuid('c1', 'n')}, ${uuid('f1', 'n')} from generate_series(1, ${CLIENTS}) as n;
  insert into public.reclamations (id, client_id, site_id, claim_type, amount)
  select ${uuid('e1', 'n')}, ${uuid('c1', `n % ${CLIENTS} + 1`)}, ${uuid('d1', `n % ${CLIENTS} + 1`)}, 'TF', n
  from generate_series(1, 20000) as n;
  insert into public.documents (id, reclamation_id, filename, file_path)
  select ${uuid('b1', 'n')}, ${uuid('e1', '(n + 1) / 2')}, 'avis.pdf', 'documents/' || md5('bench' || n)
  from generate_series(1, 40000) as n;
  insert into public.audit_logs (request_id, user_id, actor, action, resource_type, resource_id, client_context, success, ip_address, user_agent, created_at)
  select 'bench', '${USER}', 'idp|bench', 'PUT /api/reclamations/' || ${uuid('e1', 'n % 20000 + 1')}, 'reclamations',
      ${uuid('e1', 'n % 20000 + 1')}, ${uuid('c1', `n % ${CLIENTS} + 1`)}, true, '192.0.2.1', 'bench', now() - n * interval '1 second'
  from generate_series(40000, 1, -1) as n;
  insert into app.content_removals (file_path, due_at)
  select 'gone/' || md5('gone' || n), now() - n * interval '1 second' from generate_series(1, 7500) as n;
  commit`;

export async function fill(admin: pg.Client): Promise<void> {
  await admin.query(ROWS);
  await admin.query('vacuum (analyze)');
}
