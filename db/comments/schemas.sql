comment on schema app is
    'What the service itself needs: functions that policies and triggers call, and its own tables. Request roles run '
    'what was granted to them.';
comment on schema audit is
    'What a DBA or an auditor asks: table audit.findings says what is wrong, audit.matrix who may do what. Made anew '
    'on each deploy.';
comment on schema reporting is
    'What BI tools read: views that show a login the clients that were granted to it, and the grants.';
