comment on table reporting.grants is
    'Which reporting login reads which client. Written by reporting.grant_client and reporting.revoke_client; read by '
    'the policies, by session_user.';
comment on column reporting.grants.client_id is 'The client that it reads.';
comment on column reporting.grants.granted_at is 'When it was granted.';
comment on column reporting.grants.granted_by is 'The login of the DBA who granted it.';
comment on column reporting.grants.login is 'The name of the login.';
comment on column reporting.grants.login_oid is 'The role that had the name when it was granted, in pg_roles: another of that name has nothing. 0 is nobody.';
