-- Which of them is the present one; read and written by the same functions alone.

grant select (is_only, epoch_id) on app.present_epoch to taxclaims_definer;

grant insert (epoch_id) on app.present_epoch to taxclaims_definer;

grant update (epoch_id) on app.present_epoch to taxclaims_definer;

create policy present_epoch_select_definer on app.present_epoch
    for select to taxclaims_definer
    using (true);

create policy present_epoch_insert_definer on app.present_epoch
    for insert to taxclaims_definer
    with check (true);

create policy present_epoch_update_definer on app.present_epoch
    for update to taxclaims_definer
    using (true)
    with check (true);
