-- Failed attempts to log in are counted by the functions of a login alone.

grant select (
    scope,
    key_digest,
    failures,
    since
) on app.login_attempts to taxclaims_definer;

grant insert (
    scope,
    key_digest,
    failures,
    since
) on app.login_attempts to taxclaims_definer;

grant update (
    failures,
    since
) on app.login_attempts to taxclaims_definer;

grant delete on app.login_attempts to taxclaims_definer;

create policy login_attempts_select_definer on app.login_attempts
    for select to taxclaims_definer
    using (true);

create policy login_attempts_insert_definer on app.login_attempts
    for insert to taxclaims_definer
    with check (true);

create policy login_attempts_update_definer on app.login_attempts
    for update to taxclaims_definer
    using (true)
    with check (true);

create policy login_attempts_delete_definer on app.login_attempts
    for delete to taxclaims_definer
    using (true);
