-- A reporting login reads which clients it was granted, and no other login's. The DBA grants and revokes,
-- by reporting.grant_client and reporting.revoke_client, as a superuser or as a member of taxclaims_owner.

-- reporting.grant_all_clients asks, as the definer, whether the login may have them; app.assignments reads, as the
-- definer, the grants of the login that asks.
grant usage on schema reporting to taxclaims_reporting, taxclaims_definer, taxclaims_auditor;
grant select (login, client_id) on reporting.grants to taxclaims_reporting, taxclaims_definer;

create policy grants_select_reporting on reporting.grants for select to taxclaims_reporting
    using (
        login = session_user
        -- A login that was dropped took its grants along: the next of its name is another role.
        and login_oid = (select pg_catalog.to_regrole(pg_catalog.quote_ident(session_user)))::oid
    );
create policy grants_select_definer on reporting.grants for select to taxclaims_definer
    using (
        login = session_user
        and login_oid = (select pg_catalog.to_regrole(pg_catalog.quote_ident(session_user)))::oid
    );

-- audit.who_can_see tells an auditor who was given which client.
grant select (login, client_id, granted_at, granted_by, login_oid) on reporting.grants to taxclaims_auditor;
create policy grants_select_auditor on reporting.grants for select to taxclaims_auditor using (true);

create policy grants_select_owner on reporting.grants for select to taxclaims_owner using (true);
create policy grants_insert_owner on reporting.grants for insert to taxclaims_owner with check (true);
create policy grants_delete_owner on reporting.grants for delete to taxclaims_owner using (true);
-- reporting.adopt_grants, and the deploy that fills the column in.
create policy grants_update_owner on reporting.grants for update to taxclaims_owner using (true) with check (true);
