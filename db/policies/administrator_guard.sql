-- Only the trigger that prevents the removal of the last administrator writes the row of app.administrator_guard. No
-- request role may read or write app.administrator_guard.

grant update (passed_at) on app.administrator_guard to taxclaims_definer;
create policy administrator_guard_update_definer on app.administrator_guard for update to taxclaims_definer
    using (pg_catalog.pg_trigger_depth() > 0)
    with check (pg_catalog.pg_trigger_depth() > 0);

-- Auditors read app.administrator_guard so that audit.drift can report its missing row. Without the row of
-- app.administrator_guard, two transactions could remove the last two ADMINs at the same time.
grant select (is_only) on app.administrator_guard to taxclaims_auditor;
create policy administrator_guard_select_audit on app.administrator_guard for select
    to taxclaims_auditor, taxclaims_owner
    using (true);
