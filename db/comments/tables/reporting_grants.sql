comment on table reporting.grants is
    'Clients granted to reporting logins. reporting.grant_client and reporting.revoke_client write this table. '
    'Policies compare its logins with session_user.';
comment on column reporting.grants.client_id is 'The granted client.';
comment on column reporting.grants.granted_at is 'Time of the grant.';
comment on column reporting.grants.granted_by is 'Database login of the DBA who granted the client.';
comment on column reporting.grants.login is 'Name of the reporting login.';
comment on column reporting.grants.login_oid is
    'Oid in pg_roles of the login at the time of the grant. A later role of the same name gets nothing. 0 if no role '
    'has the name.';
