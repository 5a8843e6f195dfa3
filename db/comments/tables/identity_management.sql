comment on table app.identity_management is
    'One row: if changes of rights are sent to the identity provider. For app.begin_identity_management and '
    'app.end_identity_management.';
comment on column app.identity_management.managed_since is 'Start of the sending; null if changes are not sent.';
