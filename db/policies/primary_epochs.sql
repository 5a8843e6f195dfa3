-- Since when which server is the primary: no request reads or writes it, only the functions by which the service
-- chooses a replica. It holds nothing of a client.

grant select (id, system_identifier, database_oid) on app.primary_epochs to taxclaims_definer;

grant insert (id, system_identifier, database_oid) on app.primary_epochs to taxclaims_definer;

create policy primary_epochs_select_definer on app.primary_epochs
    for select to taxclaims_definer
    using (true);

create policy primary_epochs_insert_definer on app.primary_epochs
    for insert to taxclaims_definer
    with check (true);
