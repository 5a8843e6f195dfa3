comment on table reporting.grants is
    'Clients granted to reporting logins. The functions reporting.grant_client and reporting.revoke_client write this '
    'table. Policies for reporting compare the column login with session_user.';
comment on column reporting.grants.client_id is 'The granted client.';
comment on column reporting.grants.granted_at is 'Time at which the client was granted to the login.';
comment on column reporting.grants.granted_by is 'Database login of the DBA who granted the client.';
comment on column reporting.grants.login is 'Name of the reporting login.';
comment on column reporting.grants.login_oid is
    'Oid of the login''s role when the client was granted; 0 if no role had the login''s name. A role that later gets '
    'the same name does not get the client.';
