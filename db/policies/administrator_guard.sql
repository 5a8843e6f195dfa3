-- The guard of the last administrator: no request reads or writes it, only the trigger that lets an ADMIN go.

grant update (passed_at) on app.administrator_guard to taxclaims_definer;
create policy administrator_guard_update_definer on app.administrator_guard for update to taxclaims_definer
    using (pg_catalog.pg_trigger_depth() > 0)
    with check (pg_catalog.pg_trigger_depth() > 0);

-- Without its one row two who let the last ADMIN go would not wait for each other: audit.drift asks whether it is there.
grant select (is_only) on app.administrator_guard to taxclaims_auditor;
create policy administrator_guard_select_audit on app.administrator_guard for select
    to taxclaims_auditor, taxclaims_owner
    using (true);
