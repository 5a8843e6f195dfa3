comment on table reporting.grants is
    'Clients of reporting logins. reporting.grant_client and reporting.revoke_client write it; policies compare '
    'session_user.';
comment on column reporting.grants.client_id is 'The granted client.';
comment on column reporting.grants.granted_at is 'Time of the grant.';
comment on column reporting.grants.granted_by is 'Database login of the DBA.';
comment on column reporting.grants.login is 'Name of the reporting login.';
comment on column reporting.grants.login_oid is
    'Oid in pg_roles that login had when granted: a later role of that name has nothing. 0 for none.';
