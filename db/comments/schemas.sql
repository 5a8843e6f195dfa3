comment on schema app is 'The service''s own tables, and the functions of policies, triggers and requests.';
comment on schema audit is
    'For DBAs and auditors: audit.findings says what is wrong, audit.matrix who may do what. Made anew on each deploy.';
comment on schema reporting is 'For BI tools: views that show a login the clients granted to it, and the grants.';
