-- Everybody with access to a client reads its claims. The firm's employees write claims, but a tax specialist cannot
-- delete one, and app.refuse_sent_delete lets only an ADMIN delete one that was sent. The table reclamation_transitions defines which
-- role may change which status.

-- No update changes client_id. No insert sets status, because a new claim is a DRAFT. A request may repeat a derived day
-- such as response_due_at: the trigger of db/triggers/days.sql refuses another one.
select app.grant_columns(
    'public.reclamations', readers => 'taxclaims_client', writers => 'taxclaims_tax_specialist',
    cr => '{id, client_id}',
    cru => '{
        site_id, claim_type, amount, tax_year, commune_code, notice_reference, collection_date, deadline_basis,
        claim_deadline, submitted_at, received_on, response_extended, response_due_at, regularisation_asked_on,
        regularisation_due_on, decision_date, decision_received_on, court_deadline, instance, judgment_notified_on,
        appeal_deadline, granted_amount, refund_amount, refund_interest, grounds, assignee_id
    }',
    ru => '{status, status_reason}',
    r => '{submitted_amount, created_at, updated_at, search_text, xmin}'
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

-- Of the functions of taxclaims_definer, only the triggers of db/functions/definer/assignees.sql change claims: they
-- remove the assignee.
grant
    select (
        id, client_id, site_id, assignee_id, claim_type, amount, status, tax_year, commune_code, notice_reference,
        collection_date, deadline_basis, claim_deadline, submitted_at, received_on, response_extended, response_due_at,
        decision_date, decision_received_on, court_deadline, granted_amount, instance, judgment_notified_on, created_at,
        updated_at
    ),
    update (assignee_id)
on public.reclamations to taxclaims_definer;
create policy reclamations_select_definer on public.reclamations for select to taxclaims_definer using (true);
create policy reclamations_update_definer on public.reclamations for update to taxclaims_definer
    using (assignee_id is not null)
    with check (assignee_id is null and pg_catalog.pg_trigger_depth() > 0);
