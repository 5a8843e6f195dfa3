-- Only the trigger that counts administrators writes the guard; no request touches it.

grant update (passed_at) on app.administrator_guard to taxclaims_definer;
create policy administrator_guard_update_definer on app.administrator_guard for update to taxclaims_definer
    using (pg_catalog.pg_trigger_depth() > 0)
    with check (pg_catalog.pg_trigger_depth() > 0);

-- Without the row two last ADMINs could leave at once: audit.drift looks for it.
grant select (is_only) on app.administrator_guard to taxclaims_auditor;
create policy administrator_guard_select_audit on app.administrator_guard for select
    to taxclaims_auditor, taxclaims_owner
    using (true);
