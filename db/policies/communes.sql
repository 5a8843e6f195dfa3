-- Every user and every reporting login reads the INSEE codes of communes, which are public. Only migrations change public.communes.

grant select (code, name, current_code, postal_codes) on public.communes to taxclaims_client, taxclaims_admin;
create policy communes_select_request_roles on public.communes for select to taxclaims_client, taxclaims_admin
    using (true);

create policy communes_select_reporting on public.communes for select to taxclaims_reporting using (true);

-- A DBA reads the codes, and the trigger and the finding about unknown codes work for the owner and the definer.
grant select (code, name, current_code, postal_codes) on public.communes to taxclaims_auditor, taxclaims_definer;
create policy communes_select_audit on public.communes for select to taxclaims_auditor, taxclaims_owner using (true);
create policy communes_select_definer on public.communes for select to taxclaims_definer using (true);
