-- Only functions read or write attempts to change a password: app.begin_password_change adds an attempt of the caller,
-- triggers delete attempts after a new password or an erasure, and app.kept_on returns attempts to their user.

grant select (user_id, attempted_at), insert (user_id, attempted_at), update (attempted_at), delete
on app.password_attempts to taxclaims_definer;
create policy password_attempts_select_definer on app.password_attempts for select to taxclaims_definer
    using (
        user_id = (select app.user_id())
        or (select app.role()) = 'ADMIN'
        or pg_catalog.pg_trigger_depth() > 0
    );
create policy password_attempts_insert_definer on app.password_attempts for insert to taxclaims_definer
    with check (user_id = (select app.user_id()));
create policy password_attempts_update_definer on app.password_attempts for update to taxclaims_definer
    using (user_id = (select app.user_id()))
    with check (user_id = (select app.user_id()));
create policy password_attempts_delete_definer on app.password_attempts for delete to taxclaims_definer
    using (pg_catalog.pg_trigger_depth() > 0);
