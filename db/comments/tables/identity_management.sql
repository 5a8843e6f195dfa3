comment on table app.identity_management is
    'The only row of the table says whether the service sends changes of rights to the identity provider. The '
    'functions app.begin_identity_management and app.end_identity_management update this table.';
comment on column app.identity_management.managed_since is
    'Time since which the service sends changes of rights to the identity provider; null if the service sends none.';
