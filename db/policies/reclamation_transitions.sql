-- The allowed moves of a claim are no secret: everybody in the house may read them, and nobody changes them
-- but a migration.

grant select (
    from_status,
    to_status,
    role,
    requires
) on public.reclamation_transitions to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist,
    taxclaims_client;

create policy reclamation_transitions_select_requests on public.reclamation_transitions
    for select to
        taxclaims_admin,
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist,
        taxclaims_client
    using (true);
