-- A reporting login reads which clients it was granted, and no other login's. The DBA grants and revokes.

grant usage on schema reporting to taxclaims_reporting;
grant select (
    login,
    client_id
) on reporting.grants to
    taxclaims_reporting;

create policy grants_select_reporting on reporting.grants
    for select to taxclaims_reporting
    using (login = session_user);

-- audit.who_can_see tells an auditor who was given which client.
grant usage on schema reporting to taxclaims_auditor;
grant select on reporting.grants to
    taxclaims_auditor;

create policy grants_select_auditor on reporting.grants
    for select to taxclaims_auditor
    using (true);
