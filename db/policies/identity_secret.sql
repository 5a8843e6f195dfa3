-- The secret of the made-up salts is read by the functions of a login alone, and written by the migration that made it.

grant select (
    is_only,
    secret
) on app.identity_secret to taxclaims_definer;

create policy identity_secret_select_definer on app.identity_secret
    for select to taxclaims_definer
    using (true);
