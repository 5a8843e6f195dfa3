-- app.locate always returns one row. The column `client_id` is the record's client. If the record's table has no
-- client_id, a foreign key leads to the client. `client_id` is null for a partner.
create or replace function app.locate(resource_type text, id uuid)
    returns table (found boolean, client_id uuid)
    language plpgsql stable security definer set search_path = ''
as $function$
declare
    client_expression constant text := (
        select
            case
                when t.relname = 'clients' then 'r.id'
                when own.attname is not null then 'r.client_id'
                else coalesce(
                    (
                        select pg_catalog.format(
                            '(select p.client_id from public.%I as p where p.id = r.%I)', parent.relname, key.attname
                        )
                        from pg_catalog.pg_constraint as f
                        join pg_catalog.pg_class as parent on parent.oid = f.confrelid
                        join pg_catalog.pg_attribute as key on key.attrelid = t.oid and key.attnum = f.conkey[1]
                        where f.conrelid = t.oid
                            and f.contype = 'f'
                            and exists (
                                select from pg_catalog.pg_attribute as a
                                where a.attrelid = parent.oid and a.attname = 'client_id' and not a.attisdropped
                            )
                        order by f.conname
                        limit 1
                    ),
                    'null::uuid'
                )
            end
        from pg_catalog.pg_class as t
        join pg_catalog.pg_attribute as named on named.attrelid = t.oid and named.attname = 'id'
        left join pg_catalog.pg_attribute as own
            on own.attrelid = t.oid and own.attname = 'client_id' and not own.attisdropped
        where t.relnamespace = 'public'::regnamespace
            and t.relname = locate.resource_type
            and pg_catalog.has_any_column_privilege('taxclaims_scoped_admin', t.oid, 'INSERT')
    );
    has_row boolean;
    client uuid;
begin
    if client_expression is not null then
        execute pg_catalog.format('select true, %s from public.%I as r where r.id = $1', client_expression, locate.resource_type)
            into has_row, client
            using locate.id;
    end if;
    return query select coalesce(has_row, false), client;
end
$function$;

comment on function app.locate(text, uuid) is
    'Returns whether a record exists, and the record''s client, without regard to the caller''s rights. The API '
    'answers 403 for a record of another client and 404 for a missing record. `resource_type` is the name of a table.';
grant execute on function app.locate(text, uuid) to taxclaims_api;

-- For a caller with many clients, a statement about one record is faster if the setting app.client_access lists only
-- the record's client.
create or replace function app.narrowed(listed text, resource_type text, id uuid)
    returns text
    language plpgsql stable security definer set search_path = ''
as $function$
declare
    client uuid;
begin
    case narrowed.resource_type
        when 'reclamations' then
            select r.client_id into client from public.reclamations as r where r.id = narrowed.id;
        when 'notes' then
            select n.client_id into client from public.notes as n where n.id = narrowed.id;
        when 'documents' then
            select r.client_id
            into client
            from public.documents as d
            join public.reclamations as r on r.id = d.reclamation_id
            where d.id = narrowed.id;
        when 'sites' then
            select s.client_id into client from public.sites as s where s.id = narrowed.id;
        when 'cadastres' then
            select s.client_id
            into client
            from public.cadastres as c
            join public.sites as s on s.id = c.site_id
            where c.id = narrowed.id;
        when 'factures' then
            select f.client_id into client from public.factures as f where f.id = narrowed.id;
        when 'partner_invoices' then
            select b.client_id into client from public.partner_invoices as b where b.id = narrowed.id;
        else
            return narrowed.listed;
    end case;
    if pg_catalog.strpos(narrowed.listed, client::text) > 0 then
        return '{' || client || '}';
    end if;
    return narrowed.listed;
end
$function$;

comment on function app.narrowed(text, text, uuid) is
    'Returns a list of only the given record''s client if the list `listed` contains that client; otherwise returns '
    '`listed` unchanged. `resource_type` is the name of the record''s table.';
grant execute on function app.narrowed(text, text, uuid) to taxclaims_api;

-- Without app.may_link_partner a caller who knows the id of another tenant's partner could link the partner and
-- then read it.
create or replace function app.may_link_partner(partner uuid)
    returns boolean
    language sql stable security definer set search_path = ''
begin atomic
    select coalesce(pg_catalog.bool_or(cp.client_id = any ((select app.client_access())::uuid[])), true)
    from public.client_partners as cp
    where cp.partner_id = may_link_partner.partner;
end;

comment on function app.may_link_partner(uuid) is
    'True if the caller may link the partner, because the partner is linked to a client of the caller or to no client.';
grant execute on function app.may_link_partner(uuid) to taxclaims_account_manager;
