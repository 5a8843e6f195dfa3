-- Owned by taxclaims_definer, who sees ids and nothing else of most tables.

-- Whether a record exists, whoever asks, and whose client it is (null where it has none).
-- For the API alone: it turns "no row" into 403 for another tenant's record and 404 for none.
-- One row, always. resource_type is the table's name.
create or replace function app.locate(resource_type text, id uuid)
    returns table (found boolean, client_id uuid)
    language sql
    stable
    security definer
    set search_path = ''
begin atomic
    select
        pg_catalog.count(*) > 0,
        (pg_catalog.array_agg(record.client_id))[1]
    from (
        select c.id as client_id from public.clients as c
        where locate.resource_type = 'clients' and c.id = locate.id
        union all
        select s.client_id from public.sites as s
        where locate.resource_type = 'sites' and s.id = locate.id
        union all
        select s.client_id from public.cadastres as k
        join public.sites as s on s.id = k.site_id
        where locate.resource_type = 'cadastres' and k.id = locate.id
        union all
        select r.client_id from public.reclamations as r
        where locate.resource_type = 'reclamations' and r.id = locate.id
        union all
        select r.client_id from public.documents as d
        join public.reclamations as r on r.id = d.reclamation_id
        where locate.resource_type = 'documents' and d.id = locate.id
        union all
        select f.client_id from public.factures as f
        where locate.resource_type = 'factures' and f.id = locate.id
        union all
        select pi.client_id from public.partner_invoices as pi
        where locate.resource_type = 'partner_invoices' and pi.id = locate.id
        union all
        select null from public.partners as p
        where locate.resource_type = 'partners' and p.id = locate.id
        union all
        select null from public.users as u
        where locate.resource_type = 'users' and u.id = locate.id
    ) as record;
end;

revoke execute on function app.locate(text, uuid) from public;
grant execute on function app.locate(text, uuid) to taxclaims_api;

-- Whether the caller may link the partner to a client: it has a link to one of the caller's clients, or none
-- at all, as one that was just made. Without it, knowing an id would be enough to see another tenant's partner.
create or replace function app.partner_within_reach(partner uuid)
    returns boolean
    language sql
    stable
    security definer
    set search_path = ''
begin atomic
    select coalesce(pg_catalog.bool_or(cp.client_id = any ((select app.client_access())::uuid[])), true)
    from public.client_partners as cp
    where cp.partner_id = partner_within_reach.partner;
end;

revoke execute on function app.partner_within_reach(uuid) from public;
grant execute on function app.partner_within_reach(uuid) to taxclaims_scoped_admin, taxclaims_account_manager;
