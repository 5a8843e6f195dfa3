-- The row of app.identity_management says since when the service sends changes of user rights to the identity provider.
-- Only the functions that start, stop or check the sending of changes read or write managed_since.

grant select (managed_since), update (managed_since) on app.identity_management to taxclaims_definer;
create policy identity_management_select_definer on app.identity_management for select to taxclaims_definer using (true);
create policy identity_management_update_definer on app.identity_management for update to taxclaims_definer
    using (true)
    with check (true);

-- Auditors read app.identity_management so that audit.drift can report its missing row. Without the row the service
-- sends no change of rights, and no start of it can change that.
grant select (is_only) on app.identity_management to taxclaims_auditor;
create policy identity_management_select_audit on app.identity_management for select
    to taxclaims_auditor, taxclaims_owner
    using (true);
