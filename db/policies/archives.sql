-- Auditors read the list of audit log archives. taxclaims_owner adds a row for each archived month, and updates the row
-- when the month is removed from the audit log. No policy allows the deletion of a row of audit.archives.

grant select (number, month, records, previous_digest, digest, file, archived_by, archived_at, removed_by, removed_at)
on audit.archives to taxclaims_auditor;
create policy archives_select_auditor on audit.archives for select to taxclaims_auditor using (true);
create policy archives_select_owner on audit.archives for select to taxclaims_owner using (true);
create policy archives_insert_owner on audit.archives for insert to taxclaims_owner with check (removed_at is null);
create policy archives_update_owner on audit.archives for update to taxclaims_owner
    using (removed_at is null)
    with check (removed_at is not null);
