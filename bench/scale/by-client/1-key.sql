-- This script gives documents and parcels the client of their claim or site as a column. It is for a copy of a migrated
-- database (docs/scale.md). On a live database each step would be a migration of its own, in this order.

-- 1. The new column has no value yet: Postgres locks each table for a moment and writes no row.
alter table public.documents add column client_id uuid;
alter table public.cadastres add column client_id uuid;

-- 2. A trigger gives each new row the client of its claim or site, so that the previous release can still write.
create function app.take_client_of_claim()
    returns trigger
    language plpgsql
    security definer
    set search_path = ''
as $function$
begin
    select r.client_id into new.client_id from public.reclamations as r where r.id = new.reclamation_id;
    return new;
end
$function$;

create function app.take_client_of_site()
    returns trigger
    language plpgsql
    security definer
    set search_path = ''
as $function$
begin
    select s.client_id into new.client_id from public.sites as s where s.id = new.site_id;
    return new;
end
$function$;

-- The trigger functions run with the rights of taxclaims_definer, which can read only ids. The function app.locate runs
-- with the same rights.
alter function app.take_client_of_claim() owner to taxclaims_definer;
alter function app.take_client_of_site() owner to taxclaims_definer;
revoke execute on function app.take_client_of_claim(), app.take_client_of_site() from public;
grant execute on function app.take_client_of_claim(), app.take_client_of_site() to taxclaims_owner;

create trigger documents_take_client
    before insert on public.documents
    for each row
    execute function app.take_client_of_claim();

create trigger cadastres_take_client
    before insert on public.cadastres
    for each row
    execute function app.take_client_of_site();

-- 3. The existing rows get their client, without audit records and new versions. On a live database each transaction
-- would update ten thousand rows.
alter table public.documents disable trigger user;
alter table public.cadastres disable trigger user;

update public.documents as d
set client_id = r.client_id
from public.reclamations as r
where r.id = d.reclamation_id and d.client_id is null;

update public.cadastres as k
set client_id = s.client_id
from public.sites as s
where s.id = k.site_id and k.client_id is null;

alter table public.documents enable trigger user;
alter table public.cadastres enable trigger user;

-- 4. The constraints forbid a row without a client or with another client than its claim or site, whose keys already
-- contain the client. They are `not valid` at first, so that no request waits while Postgres reads all rows.
alter table public.documents
    add constraint documents_client_id_known check (client_id is not null) not valid,
    add constraint documents_reclamation_of_client foreign key (reclamation_id, client_id)
        references public.reclamations (id, client_id) on delete cascade not valid;
alter table public.documents validate constraint documents_client_id_known;
alter table public.documents validate constraint documents_reclamation_of_client;
alter table public.documents alter column client_id set not null;
alter table public.documents
    drop constraint documents_client_id_known,
    drop constraint documents_reclamation_id_fkey;

alter table public.cadastres
    add constraint cadastres_client_id_known check (client_id is not null) not valid,
    add constraint cadastres_site_of_client foreign key (site_id, client_id)
        references public.sites (id, client_id) on delete cascade not valid;
alter table public.cadastres validate constraint cadastres_client_id_known;
alter table public.cadastres validate constraint cadastres_site_of_client;
alter table public.cadastres alter column client_id set not null;
alter table public.cadastres
    drop constraint cadastres_client_id_known,
    drop constraint cadastres_site_id_fkey;

-- 5. Indexes find documents and parcels by client. On a live database they would be created `concurrently`.
create index documents_client_id_idx on public.documents (client_id, uploaded_at desc, id desc);
create index cadastres_client_id_idx on public.cadastres (client_id, created_at desc, id desc);

-- 6. Documents and parcels get the policies of claims, because each row now has its client.
grant select (client_id), insert (client_id) on public.documents to
    taxclaims_admin, taxclaims_scoped_admin, taxclaims_account_manager, taxclaims_tax_specialist, taxclaims_client;
grant select (client_id) on public.cadastres to
    taxclaims_admin, taxclaims_scoped_admin, taxclaims_account_manager, taxclaims_tax_specialist, taxclaims_client;
grant insert (client_id) on public.cadastres to
    taxclaims_admin, taxclaims_scoped_admin, taxclaims_account_manager, taxclaims_tax_specialist;

alter policy documents_select_tenant on public.documents
    using (client_id = any ((select app.client_access())::uuid[]));
alter policy documents_insert_tenant on public.documents
    with check (client_id = any ((select app.client_access())::uuid[]));
alter policy documents_delete_tenant on public.documents
    using (client_id = any ((select app.client_access())::uuid[]));

alter policy cadastres_select_tenant on public.cadastres
    using (client_id = any ((select app.client_access())::uuid[]));
alter policy cadastres_insert_tenant on public.cadastres
    with check (client_id = any ((select app.client_access())::uuid[]));
alter policy cadastres_update_tenant on public.cadastres
    using (client_id = any ((select app.client_access())::uuid[]))
    with check (client_id = any ((select app.client_access())::uuid[]));
alter policy cadastres_delete_tenant on public.cadastres
    using (client_id = any ((select app.client_access())::uuid[]));
