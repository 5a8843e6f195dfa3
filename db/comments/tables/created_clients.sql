comment on table app.created_clients is
    'Clients that a user created and that the user''s tokens do not list yet, so that a login with an older token '
    'keeps them.';
comment on column app.created_clients.created_at is 'Time of the creation.';
comment on column app.created_clients.token_digest is
    'Digest of the rights in the creator''s token, if the token is older than the last change of rights; else null.';
comment on column app.created_clients.stored_digest is
    'Digest of the stored rights after the creation: the token is accepted while these are stored. Null as '
    'token_digest.';
