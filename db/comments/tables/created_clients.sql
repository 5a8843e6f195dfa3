comment on table app.created_clients is
    'Clients that a user created and that no token of theirs has said yet, so that a login with an older token does '
    'not take them away.';

comment on column app.created_clients.subject is 'The name of the user at the identity provider.';
comment on column app.created_clients.client_id is 'The client that they created.';
comment on column app.created_clients.created_at is 'When they created it.';
