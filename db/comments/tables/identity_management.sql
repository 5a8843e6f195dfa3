comment on table app.identity_management is
    'A single row. The row says whether changes of rights are sent to the identity provider, for '
    'app.begin_identity_management and app.end_identity_management.';
comment on column app.identity_management.managed_since is
    'Time since which changes are sent; null if changes are not sent.';
