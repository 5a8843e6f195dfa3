-- app.count_audit_days stores the number of audit records of each day. app.audit_months compares the stored numbers
-- with the audit log. Nobody changes a stored number.

grant select (day, records), insert (day, records) on app.audit_days to taxclaims_housekeeper;
create policy audit_days_select_housekeeper on app.audit_days for select to taxclaims_housekeeper using (true);
create policy audit_days_insert_housekeeper on app.audit_days for insert to taxclaims_housekeeper with check (true);
