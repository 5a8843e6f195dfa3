-- Owned by taxclaims_definer, who sees ids and nothing else of most tables.

-- Whether a record exists, whoever asks, and whose client it is (null where it has none).
-- For the API alone: it turns "no row" into 403 for another tenant's record and 404 for none.
-- One row, always. resource_type is the table's name; the one table of that name is looked at.
create or replace function app.locate(resource_type text, id uuid)
    returns table (found boolean, client_id uuid)
    language plpgsql
    stable
    security definer
    set search_path = ''
as $function$
declare
    owner record;
begin
    case locate.resource_type
        when 'clients' then
            select c.id as client_id into owner from public.clients as c where c.id = locate.id;
        when 'sites' then
            select s.client_id into owner from public.sites as s where s.id = locate.id;
        when 'cadastres' then
            select s.client_id
            into owner
            from public.cadastres as k
            join public.sites as s on s.id = k.site_id
            where k.id = locate.id;
        when 'reclamations' then
            select r.client_id into owner from public.reclamations as r where r.id = locate.id;
        when 'documents' then
            select r.client_id
            into owner
            from public.documents as d
            join public.reclamations as r on r.id = d.reclamation_id
            where d.id = locate.id;
        when 'factures' then
            select f.client_id into owner from public.factures as f where f.id = locate.id;
        when 'partner_invoices' then
            select b.client_id into owner from public.partner_invoices as b where b.id = locate.id;
        when 'partners' then
            select null::uuid as client_id into owner from public.partners as p where p.id = locate.id;
        when 'users' then
            select null::uuid as client_id into owner from public.users as u where u.id = locate.id;
        else
            return query select false, null::uuid;
            return;
    end case;
    return query select found, owner.client_id;
end
$function$;

comment on function app.locate(text, uuid) is
    'Whether a record exists and whose client it is, whoever asks; by it the API tells 403 from 404. resource_type: '
    'the name of a table.';

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

comment on function app.partner_within_reach(uuid) is
    'Whether the caller may link a partner: it is linked to one of the caller''s clients, or to nobody yet.';

revoke execute on function app.partner_within_reach(uuid) from public;
grant execute on function app.partner_within_reach(uuid) to taxclaims_scoped_admin, taxclaims_account_manager;
