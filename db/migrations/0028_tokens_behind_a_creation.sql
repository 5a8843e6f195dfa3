-- Whoever creates a client while older tokens are refused goes on with the token in hand: which one that was, and which
-- rights the creation has made of it. Null where no token would have been refused for it.
alter table app.created_clients
    add column token_digest text,
    add column stored_digest text,
    add constraint created_clients_digests_whole check ((token_digest is null) = (stored_digest is null));
