-- Whoever reads a claim also reads whether its assignee lost the client, because such a claim reads as unassigned. Only
-- the trigger of users and the functions that remove assignments write app.lost_clients.

grant select (user_id, client_id) on app.lost_clients to taxclaims_client;
create policy lost_clients_select_tenant on app.lost_clients for select to taxclaims_client
    using (client_id = any ((select app.client_access())::uuid[]));

grant
    select (user_id, client_id, lost_at, unassigned),
    insert (user_id, client_id),
    update (unassigned),
    delete
on app.lost_clients to taxclaims_definer;
create policy lost_clients_select_definer on app.lost_clients for select to taxclaims_definer using (true);
create policy lost_clients_insert_definer on app.lost_clients for insert to taxclaims_definer
    with check (pg_catalog.pg_trigger_depth() > 0);
create policy lost_clients_update_definer on app.lost_clients for update to taxclaims_definer
    using (true)
    with check (true);
create policy lost_clients_delete_definer on app.lost_clients for delete to taxclaims_definer using (true);
