-- In a transaction of its own: the table is locked for a moment only.
-- For the next migration; the deploy drops these policies at its end, as every policy that no file in db/policies has.
create policy reclamation_history_select_owner on public.reclamation_history for select to taxclaims_owner using (true);
create policy reclamation_history_update_owner on public.reclamation_history for update to taxclaims_owner
    using (changed_by is not null)
    with check (actor = changed_by::text);
