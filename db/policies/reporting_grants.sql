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
