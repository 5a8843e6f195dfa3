comment on schema app is 'The service''s own tables, and the functions that policies, triggers and requests use.';
comment on schema audit is
    'For DBAs and auditors: audit.findings lists errors, audit.matrix lists who may do what. Every deploy recreates '
    'the views of schema audit.';
comment on schema reporting is
    'For BI tools: views in which a login sees only the clients granted to it, and a table of the granted clients.';
