-- A client's claims are read by whoever has access to the client, and written by the firm's people alone;
-- a tax specialist deletes none, and which move of its status is allowed to whom stands in reclamation_transitions.

-- client_id is never updated: a claim never moves to another client. status is not inserted: a claim begins as DRAFT.
select app.grant_columns(
    'public.reclamations', readers => 'taxclaims_client', writers => 'taxclaims_tax_specialist',
    cr => '{id, client_id}',
    cru => '{
        site_id, claim_type, amount, tax_year, commune_code, notice_reference, collection_date, submitted_at,
        decision_date, court_deadline, granted_amount, refund_amount, grounds, assignee_id
    }',
    ru => '{status}',
    r => '{claim_deadline, response_due_at, created_at, updated_at, search_text, xmin}'
);
grant delete on public.reclamations to taxclaims_account_manager;

create policy reclamations_select_tenant on public.reclamations for select to taxclaims_client
    using (client_id = any ((select app.client_access())::uuid[]));
create policy reclamations_insert_tenant on public.reclamations for insert to taxclaims_tax_specialist
    with check (client_id = any ((select app.client_access())::uuid[]));
create policy reclamations_update_tenant on public.reclamations for update to taxclaims_tax_specialist
    using (client_id = any ((select app.client_access())::uuid[]))
    with check (client_id = any ((select app.client_access())::uuid[]));
create policy reclamations_delete_tenant on public.reclamations for delete to taxclaims_account_manager
    using (client_id = any ((select app.client_access())::uuid[]));

-- app.locate tells a foreign record from none; app.release_claims finds the claims of a user who loses a client, and can
-- take the assignee from a claim and nothing else; app.impossible_rows asks whose site a claim is on.
grant select (id, client_id, site_id, assignee_id), update (assignee_id) on public.reclamations to taxclaims_definer;
create policy reclamations_select_definer on public.reclamations for select to taxclaims_definer using (true);
create policy reclamations_update_definer on public.reclamations for update to taxclaims_definer
    using (assignee_id is not null)
    with check (assignee_id is null and pg_catalog.pg_trigger_depth() > 0);
