comment on table app.idempotency_keys is
    'Answers of requests that created a record under an Idempotency-Key, kept for 24 hours. A row may be deleted, at '
    'the price that the same request sent again creates a second record.';
comment on column app.idempotency_keys.subject is 'The name of the caller at the identity provider.';
comment on column app.idempotency_keys.key_digest is 'SHA-256 of the key, in hex; the key itself is in no row.';
comment on column app.idempotency_keys.request_digest is
    'A keyed digest of method, path and body, by which the same request is known.';
comment on column app.idempotency_keys.resource_type is 'The table of the record that was created.';
comment on column app.idempotency_keys.resource_id is
    'The record that was created, which the caller must still see to be given the answer.';
comment on column app.idempotency_keys.body is 'The body of the answer; readable by no login.';
comment on column app.idempotency_keys.etag is 'The ETag of the answer; null where it had none.';
comment on column app.idempotency_keys.location is 'The Location of the answer.';
comment on column app.idempotency_keys.created_at is
    'When it was answered; after 24 hours the row is of no use and is removed.';
