-- This row says since when changes of user rights are sent to the identity provider. Only the functions that start
-- and stop the sending, and those that check it, read or write this row.

grant select (managed_since), update (managed_since) on app.identity_management to taxclaims_definer;
create policy identity_management_select_definer on app.identity_management for select to taxclaims_definer using (true);
create policy identity_management_update_definer on app.identity_management for update to taxclaims_definer
    using (true)
    with check (true);
