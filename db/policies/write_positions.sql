-- How far callers have written: no request reads or writes it, only the functions by which the service chooses a
-- replica. It holds the subjects of tokens and nothing of a client.

grant select (subject, position) on app.write_positions to taxclaims_definer;

grant insert (subject, position) on app.write_positions to taxclaims_definer;

grant update (position) on app.write_positions to taxclaims_definer;

grant delete on app.write_positions to taxclaims_definer;

create policy write_positions_select_definer on app.write_positions
    for select to taxclaims_definer
    using (true);

create policy write_positions_insert_definer on app.write_positions
    for insert to taxclaims_definer
    with check (true);

create policy write_positions_update_definer on app.write_positions
    for update to taxclaims_definer
    using (true)
    with check (true);

create policy write_positions_delete_definer on app.write_positions
    for delete to taxclaims_definer
    using (true);
