-- When the logins of a user ended is written by the users' own trigger, and read where a login is kept.

grant select (
    user_id,
    ended_at
) on app.ended_logins to taxclaims_definer;

grant insert (
    user_id,
    ended_at
) on app.ended_logins to taxclaims_definer;

grant update (ended_at) on app.ended_logins to taxclaims_definer;

-- Delete is granted to nobody: a row goes with its user.

create policy ended_logins_select_definer on app.ended_logins
    for select to taxclaims_definer
    using (true);

create policy ended_logins_insert_definer on app.ended_logins
    for insert to taxclaims_definer
    with check (true);

create policy ended_logins_update_definer on app.ended_logins
    for update to taxclaims_definer
    using (true)
    with check (true);
