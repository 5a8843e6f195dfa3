comment on table app.created_clients is
    'Clients that a user created and that no token of theirs has said yet, so that a login with an older token does '
    'not take them away.';
comment on column app.created_clients.client_id is 'The client that they created.';
comment on column app.created_clients.created_at is 'When they created it.';
comment on column app.created_clients.token_digest is
    'The digest of the rights in the token that created it, where that token is older than the last change of rights; '
    'else null.';
comment on column app.created_clients.stored_digest is
    'The digest of the rights that were stored with the creation: while these are stored, that token is accepted. Null '
    'where token_digest is.';
