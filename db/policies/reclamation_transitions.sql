-- Every user reads which status changes of claims are allowed. Only migrations change reclamation_transitions.

grant select (from_status, to_status, role, requires, condition) on public.reclamation_transitions
to taxclaims_client, taxclaims_admin, taxclaims_definer, taxclaims_auditor;
create policy reclamation_transitions_select_request_roles on public.reclamation_transitions for select
    to taxclaims_client, taxclaims_admin
    using (true);

create policy reclamation_transitions_select_definer on public.reclamation_transitions for select to taxclaims_definer
    using (true);

create policy reclamation_transitions_select_audit on public.reclamation_transitions for select
    to taxclaims_auditor, taxclaims_owner
    using (true);
