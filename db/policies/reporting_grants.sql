-- A reporting login reads its own grants. Superusers and members of taxclaims_owner change grants with
-- reporting.grant_client and reporting.revoke_client.

grant usage on schema reporting to taxclaims_reporting, taxclaims_definer, taxclaims_auditor;
grant select (login, client_id) on reporting.grants to taxclaims_reporting, taxclaims_definer;

create policy grants_select_reporting on reporting.grants for select to taxclaims_reporting
    using (
        login = session_user
        -- The policy also compares the login's oid, so that a new login does not get the grants of a dropped login of
        -- the same name.
        and login_oid = (select pg_catalog.to_regrole(pg_catalog.quote_ident(session_user)))::oid
    );
create policy grants_select_definer on reporting.grants for select to taxclaims_definer
    using (
        login = session_user
        and login_oid = (select pg_catalog.to_regrole(pg_catalog.quote_ident(session_user)))::oid
    );

grant select (login, client_id, granted_at, granted_by, login_oid) on reporting.grants to taxclaims_auditor;
create policy grants_select_auditor on reporting.grants for select to taxclaims_auditor using (true);

create policy grants_select_owner on reporting.grants for select to taxclaims_owner using (true);
create policy grants_insert_owner on reporting.grants for insert to taxclaims_owner with check (true);
create policy grants_delete_owner on reporting.grants for delete to taxclaims_owner using (true);
create policy grants_update_owner on reporting.grants for update to taxclaims_owner using (true) with check (true);
