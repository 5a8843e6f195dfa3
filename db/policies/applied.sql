-- Auditors read the schema that the last deploy declared. Only a deploy, as taxclaims_owner, writes audit.applied.

grant usage on schema audit to taxclaims_auditor;
grant select (kind, object, definition) on audit.applied to taxclaims_auditor;
create policy applied_select_auditor on audit.applied for select to taxclaims_auditor using (true);
create policy applied_all_owner on audit.applied to taxclaims_owner using (true) with check (true);
