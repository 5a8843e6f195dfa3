comment on table app.created_clients is
    'Clients that a user created and that the user''s tokens do not list yet. With this row a login with an older '
    'token does not remove the client from the user.';
comment on column app.created_clients.created_at is 'Time of the creation.';
comment on column app.created_clients.token_digest is
    'Digest of the rights in the creator''s token, if the token is older than the last change of rights; otherwise '
    'null.';
comment on column app.created_clients.stored_digest is
    'Digest of the stored rights after the creation. The database accepts the token of the creator while the '
    'stored rights have this digest. Null if token_digest is null.';
