-- Answers of requests that created a record, for whoever sent one with an Idempotency-Key and did not hear of it. Written
-- in the transaction of the record itself: the one is never there without the other.
create table app.idempotency_keys (
    -- The identity provider's name for the caller: two callers with one key never meet.
    subject text not null,
    -- The key itself is in no row: with it, a digest of a body that has a password in it would let the password be guessed.
    key_digest text not null,
    -- Of the method, the path and the body, by which the same request is known, with the key as the secret.
    request_digest text not null,
    -- The record that was created, as the policies are asked for it before the answer is given again.
    resource_type text not null,
    resource_id uuid not null,
    body text not null,
    etag text,
    location text not null,
    created_at timestamp with time zone not null default pg_catalog.clock_timestamp(),
    primary key (subject, key_digest),
    constraint idempotency_keys_key_digest_form check (key_digest ~ '^[0-9a-f]{64}$'),
    constraint idempotency_keys_request_digest_form check (request_digest ~ '^[0-9a-f]{64}$'),
    -- Twice the largest body of a request, of which the answer says little more than the record.
    constraint idempotency_keys_body_length check (pg_catalog.octet_length(body) <= 524288)
);

create index idempotency_keys_created_at_idx on app.idempotency_keys (created_at);

alter table app.idempotency_keys enable row level security;
alter table app.idempotency_keys force row level security;
