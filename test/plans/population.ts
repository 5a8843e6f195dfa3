import type pg from 'pg';

/** The number of clients in the test database, which is larger than the number of clients of any tested caller. */
const CLIENTS = 1_500;

/** The ids of a caller’s clients in the order in which the API stores them. */
export async function clientsOf(admin: pg.Client, count: number): Promise<readonly string[]> {
  const { rows } = await admin.query<{ id: string }>(
    `select id from (select id from public.clients order by created_at limit $1) as c order by id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

/** Inserts thousands of rows into all tables and collects statistics, so that Postgres uses indexes. */
export async function populate(admin: pg.Client): Promise<void> {
  // The inserting transactions wait for the disk, because vacuum otherwise does not mark the pages as all-visible.
  await admin.query('set synchronous_commit = on');
  await admin.query(`
    set session_replication_role = replica;
    set timezone = 'UTC';
    insert into public.clients (id, company_name, contact_email, created_at, updated_at)
    select md5('client' || n)::uuid, 'Client ' || n, 'a@b.example', at.t, at.t
    from generate_series(1, ${CLIENTS}) as n cross join lateral ${moment('n')};
    insert into public.sites (id, client_id, site_name, created_at, updated_at)
    select md5('site' || n)::uuid, md5('client' || 1 + n % ${CLIENTS})::uuid, 'Site ' || n, at.t, at.t
    from generate_series(1, 6000) as n cross join lateral ${moment('n')};
    insert into public.cadastres (id, site_id, commune_code, section, number, created_at, updated_at)
    select md5('parcel' || n)::uuid, md5('site' || 1 + n % 6000)::uuid, '75056', 'AB', lpad((n % 9999)::text, 4, '0'), at.t, at.t
    from generate_series(1, 15000) as n cross join lateral ${moment('n')};
    insert into public.reclamations (id, client_id, site_id, claim_type, amount, status, notice_reference, created_at, updated_at)
    select md5('claim' || n)::uuid, md5('client' || 1 + n % ${CLIENTS})::uuid, md5('site' || 1 + n % ${CLIENTS})::uuid, 'TF', n % 977,
        (array['DRAFT', 'SUBMITTED', 'ACCEPTED', 'REFUNDED', 'CLOSED'])[1 + n % 5], md5(n::text), at.t, at.t
    from generate_series(1, 30000) as n cross join lateral ${moment('n')};
    insert into app.claim_words (id, client_id, words) select id, client_id, app.words(search_text) from public.reclamations;
    insert into public.documents (id, reclamation_id, filename, file_path, uploaded_at, updated_at)
    select md5('document' || n)::uuid, md5('claim' || 1 + n % 30000)::uuid, n || '.pdf', 'document' || n, at.t, at.t
    from generate_series(1, 30000) as n cross join lateral ${moment('n')};
    insert into app.client_documents (id, client_id, reclamation_id, filename, uploaded_at, updated_at)
    select d.id, r.client_id, d.reclamation_id, d.filename, d.uploaded_at, d.updated_at
    from public.documents as d join public.reclamations as r on r.id = d.reclamation_id;
    insert into public.reclamation_history (id, reclamation_id, client_id, from_status, to_status, actor, changed_at)
    select md5('move' || n)::uuid, md5('claim' || n)::uuid, md5('client' || 1 + n % ${CLIENTS})::uuid, 'DRAFT', 'DRAFT', 'x', at.t
    from generate_series(1, 30000) as n cross join lateral ${moment('n')};
    insert into public.notes (id, client_id, reclamation_id, author_id, text, due_on, done_at, created_at, updated_at)
    select md5('note' || n)::uuid, md5('client' || 1 + n % ${CLIENTS})::uuid, md5('claim' || n)::uuid, md5('user' || 1 + n % 1000)::uuid, 'Note ' || n,
        case when n % 4 = 0 then date '2025-01-01' + n % 700 end, case when n % 8 = 0 then at.t end, at.t, at.t
    from generate_series(1, 30000) as n cross join lateral ${moment('n')};
    insert into public.factures (id, client_id, amount_excl_tax, created_at, updated_at)
    select md5('invoice' || n)::uuid, md5('client' || 1 + n % ${CLIENTS})::uuid, n % 977, at.t, at.t
    from generate_series(1, 15000) as n cross join lateral ${moment('n')};
    insert into public.partners (id, name, created_at, updated_at)
    select md5('partner' || n)::uuid, 'Partner ' || n, at.t, at.t
    from generate_series(1, 500) as n cross join lateral ${moment('n')};
    insert into public.client_partners (client_id, partner_id)
    select md5('client' || n)::uuid, md5('partner' || 1 + n % 500)::uuid from generate_series(1, ${CLIENTS}) as n;
    insert into public.partner_invoices (id, partner_id, client_id, number, amount_excl_tax, vat_amount, amount_incl_tax, created_at, updated_at)
    select md5('bill' || n)::uuid, md5('partner' || 1 + n % 500)::uuid, md5('client' || 1 + n % ${CLIENTS})::uuid, 'F-' || n, n % 977, 0, n % 977, at.t, at.t
    from generate_series(1, 15000) as n cross join lateral ${moment('n')};
    insert into public.users (id, email, password_hash, name, role, client_access, created_at, updated_at)
    select md5('user' || n)::uuid, n || '@b.example', '!', 'User ' || n, 'CLIENT', array[md5('client' || n)::uuid], at.t, at.t
    from generate_series(1, 1000) as n cross join lateral ${moment('n')};
    insert into public.audit_logs (id, action, resource_type, resource_id, client_context, success, actor, created_at)
    select md5('audit' || n)::uuid, 'GET /x', 'reclamations', md5('claim' || n)::uuid, md5('client' || 1 + n % ${CLIENTS})::uuid, true, 'idp|' || n % 97, at.t
    from generate_series(1, 30000) as n cross join lateral ${moment('n')};
    insert into public.identity_changes (id, user_id, actor, role, client_access, is_active, ends_tokens, created_at, delivered_at)
    select md5('change' || n)::uuid, md5('user' || 1 + n % 1000)::uuid, 'idp|' || n % 97, 'CLIENT', array[md5('client' || 1 + n % 1000)::uuid],
        true, true, at.t, case when n % 1000 > 0 then at.t end
    from generate_series(1, 30000) as n cross join lateral ${moment('n')};
    reset session_replication_role`);
  await admin.query('vacuum (analyze)');
}

/**
 * Returns SQL for the time of the nth row. The times do not ascend with n, so that no index has its entries in the
 * order of insertion.
 */
function moment(n: string): string {
  return `(select timestamptz '2024-01-01' + (${n} * 7919 % 30011) * interval '1 hour' as t) as at`;
}
