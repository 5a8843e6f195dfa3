-- Everybody reads the public holidays. Only migrations change public_holidays.
grant select (day, region, name) on public.public_holidays
to taxclaims_client, taxclaims_admin, taxclaims_definer, taxclaims_reporting, taxclaims_auditor;
create policy public_holidays_select_everybody on public.public_holidays for select
    to taxclaims_client, taxclaims_admin, taxclaims_definer, taxclaims_reporting, taxclaims_auditor, taxclaims_owner
    using (true);
