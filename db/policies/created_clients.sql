-- Each row of app.created_clients names a client that a user created and that the user's token does not list yet. Only
-- the functions for a new client and for a login, and a trigger of users, read or write app.created_clients.

grant
    select (subject, client_id, created_at, token_digest, stored_digest),
    insert (subject, client_id, token_digest, stored_digest),
    delete
on app.created_clients to taxclaims_definer;
create policy created_clients_select_definer on app.created_clients for select to taxclaims_definer using (true);
create policy created_clients_insert_definer on app.created_clients for insert to taxclaims_definer
    with check (subject = (select app.setting('actor')));
create policy created_clients_delete_definer on app.created_clients for delete to taxclaims_definer using (true);
