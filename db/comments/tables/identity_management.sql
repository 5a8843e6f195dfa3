comment on table app.identity_management is
    'One row: whether changes of rights are sent to the identity provider. app.begin_identity_management and '
    'app.end_identity_management write it.';
comment on column app.identity_management.managed_since is
    'Since when each change of rights is noted in identity_changes and sent; null where none is.';
