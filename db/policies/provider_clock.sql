-- Only the functions that measure and use the identity provider's clock read or write the row of app.provider_clock.
-- app.provider_clock has no data of a user or a client.

grant
    select (is_only, ahead, measured_at, server_started_at, disproved_at, disproved_since),
    insert (ahead, measured_at, server_started_at),
    update (ahead, measured_at, server_started_at, disproved_at, disproved_since)
on app.provider_clock to taxclaims_definer;
create policy provider_clock_select_definer on app.provider_clock for select to taxclaims_definer using (true);
create policy provider_clock_insert_definer on app.provider_clock for insert to taxclaims_definer with check (true);
create policy provider_clock_update_definer on app.provider_clock for update to taxclaims_definer
    using (true)
    with check (true);
