-- Everybody who reads a claim reads its changes of status. Only a trigger of claims writes reclamation_history. The
-- erasure of a user replaces the user's subject, which the previous release stored in the column `actor`, by the id.

grant select (id, reclamation_id, client_id, from_status, to_status, reason, is_correction, changed_by, actor, changed_at)
on public.reclamation_history to taxclaims_client;
create policy reclamation_history_select_tenant on public.reclamation_history for select to taxclaims_client
    using (client_id = any ((select app.client_access())::uuid[]));

-- app.apply_reclamation_move adds a row while the claim is updated, and reads the previous row: the new row gets a later
-- time, and a step back returns to the status of the previous row. No request reads court_before.
grant
    select (id, reclamation_id, client_id, from_status, to_status, is_correction, court_before, changed_at, changed_by, actor),
    insert (
        reclamation_id, client_id, from_status, to_status, reason, is_correction, court_before, changed_by, actor, changed_at
    ),
    update (actor)
on public.reclamation_history to taxclaims_definer;
create policy reclamation_history_select_definer on public.reclamation_history for select to taxclaims_definer
    using (true);
create policy reclamation_history_insert_definer on public.reclamation_history for insert to taxclaims_definer
    with check (pg_catalog.pg_trigger_depth() > 0);
create policy reclamation_history_update_definer on public.reclamation_history for update to taxclaims_definer
    using (pg_catalog.pg_trigger_depth() > 0)
    with check (actor = changed_by::text);
