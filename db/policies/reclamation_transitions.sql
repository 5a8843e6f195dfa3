-- The allowed moves of a claim are no secret: everybody in the house may read them, and nobody changes them
-- but a migration.

grant select (from_status, to_status, role, requires) on public.reclamation_transitions
to taxclaims_client, taxclaims_admin, taxclaims_auditor;
create policy reclamation_transitions_select_requests on public.reclamation_transitions for select
    to taxclaims_client, taxclaims_admin
    using (true);

-- They are rules: audit.drift holds them against the repository, asked by auditors and by the owner.
create policy reclamation_transitions_select_audit on public.reclamation_transitions for select
    to taxclaims_auditor, taxclaims_owner
    using (true);
