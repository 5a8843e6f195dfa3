-- Whether changes of rights are sent to the identity provider: no request reads or writes it, only the functions that
-- note such a change, and those that begin and end the sending.

grant select (managed_since), update (managed_since) on app.identity_management to taxclaims_definer;
create policy identity_management_select_definer on app.identity_management for select to taxclaims_definer using (true);
create policy identity_management_update_definer on app.identity_management for update to taxclaims_definer
    using (true)
    with check (true);
