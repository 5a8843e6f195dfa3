comment on table app.created_clients is
    'Clients that a user created and that the user''s tokens do not list yet. '
    'At a login, the user''s stored clients become those that the token lists and those of this table.';
comment on column app.created_clients.created_at is 'Time at which the user created the client.';
comment on column app.created_clients.token_digest is
    'Digest of the rights in the token with which the user created the client. '
    'Null if the token was issued after the last change of the user''s rights.';
comment on column app.created_clients.stored_digest is
    'Digest of the user''s stored rights after the client was created. The database accepts a token with the rights of '
    'token_digest while the user''s stored rights have stored_digest. Null if token_digest is null.';
