-- Only the functions that send reminders, and the erasure of a user, write app.reminders. app.kept_on returns a user's
-- reminders to that user.

grant
    select (
        user_id, day, told_until, state, waits_since, attempts, next_attempt_at, claim, claimed_until, handed_over_at, cut_off,
        last_error, ended_at
    ),
    insert (user_id, day, told_until, waits_since),
    update (
        state, attempts, last_error, next_attempt_at, claim, claimed_until, handed_over_at, cut_off, ended_at
    ),
    delete
on app.reminders to taxclaims_definer;
create policy reminders_select_definer on app.reminders for select to taxclaims_definer using (true);
create policy reminders_insert_definer on app.reminders for insert to taxclaims_definer
    with check (state = 'WAITING');
create policy reminders_update_definer on app.reminders for update to taxclaims_definer
    using (true)
    with check (true);
create policy reminders_delete_definer on app.reminders for delete to taxclaims_definer
    using ((state <> 'WAITING' and day < pg_catalog.now() - interval '90 days') or pg_catalog.pg_trigger_depth() > 0);

-- The view audit.finding_reminder_unsent needs the columns state and waits_since. An auditor sees since when a reminder
-- mail waits, but not for which user.
grant select (state, waits_since) on app.reminders to taxclaims_auditor;
create policy reminders_select_auditor on app.reminders for select to taxclaims_auditor
    using (state = 'WAITING' and waits_since < pg_catalog.now() - interval '1 day');
