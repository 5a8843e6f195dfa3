-- Everybody with access to a client reads the client's record. Administrators and account managers add and change
-- clients, and only administrators delete clients.

-- Before the insert the API chooses the id of a new client and adds it to the setting app.client_access.
select app.grant_columns(
    'public.clients', readers => 'taxclaims_client', writers => 'taxclaims_account_manager',
    cr => '{id}',
    cru => '{company_name, contact_email, address, siren}',
    r => '{created_at, updated_at, search_text, xmin}'
);
grant delete on public.clients to taxclaims_scoped_admin;

create policy clients_select_tenant on public.clients for select to taxclaims_client
    using (id = any ((select app.client_access())::uuid[]));
create policy clients_insert_tenant on public.clients for insert to taxclaims_account_manager
    with check (id = any ((select app.client_access())::uuid[]));
create policy clients_update_tenant on public.clients for update to taxclaims_account_manager
    using (id = any ((select app.client_access())::uuid[]))
    with check (id = any ((select app.client_access())::uuid[]));
create policy clients_delete_tenant on public.clients for delete to taxclaims_scoped_admin
    using (id = any ((select app.client_access())::uuid[]));

grant select (id, search_text, company_name, address, siren) on public.clients to taxclaims_definer;
create policy clients_select_definer on public.clients for select to taxclaims_definer using (true);
