-- Auditors read which audit findings were accepted. A member of taxclaims_owner accepts a finding with audit.accept and
-- withdraws the acceptance with audit.withdraw. No policy allows the deletion of an acceptance.

grant select (id, what, object, as_it_stood, reason, accepted_by, accepted_at, withdrawn_by, withdrawn_at)
on audit.acceptances to taxclaims_auditor;
create policy acceptances_select_auditor on audit.acceptances for select to taxclaims_auditor using (true);
create policy acceptances_select_owner on audit.acceptances for select to taxclaims_owner using (true);
create policy acceptances_insert_owner on audit.acceptances for insert to taxclaims_owner
    with check (withdrawn_at is null);
create policy acceptances_update_owner on audit.acceptances for update to taxclaims_owner
    using (withdrawn_at is null)
    with check (withdrawn_at is not null);
