-- app.record_refusals stores the ids of refusals near the end of a month, so that a refusal that the service sends
-- twice is not stored in two months of the audit log. app.tend_audit_log deletes rows after 40 days.

grant insert (id), select (id) on app.refusals_at_month_end to taxclaims_definer;
grant select (written_at), delete on app.refusals_at_month_end to taxclaims_housekeeper;
create policy refusals_at_month_end_insert_definer on app.refusals_at_month_end for insert to taxclaims_definer
    with check (true);
create policy refusals_at_month_end_select_definer on app.refusals_at_month_end for select to taxclaims_definer
    using (true);
create policy refusals_at_month_end_select_housekeeper on app.refusals_at_month_end for select to taxclaims_housekeeper
    using (true);
create policy refusals_at_month_end_delete_housekeeper on app.refusals_at_month_end for delete to taxclaims_housekeeper
    using (true);
