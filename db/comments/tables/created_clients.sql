comment on table app.created_clients is
    'Clients that a user created and that the user''s tokens do not list yet. At a login, the database stores for the '
    'user the clients of the token and the clients of app.created_clients.';
comment on column app.created_clients.created_at is 'Time at which the user created the client.';
comment on column app.created_clients.token_digest is
    'Digest of the rights in the token with which the user created the client. token_digest is null if the token was '
    'issued after the last change of the user''s rights.';
comment on column app.created_clients.stored_digest is
    'Digest of the user''s stored rights after the client was created; null if token_digest is null. While the user''s '
    'rights still have stored_digest, the database accepts a token whose rights have token_digest.';
