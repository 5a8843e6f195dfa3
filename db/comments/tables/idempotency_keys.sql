comment on table app.idempotency_keys is
    'Answers to requests with an Idempotency-Key, kept for 24 hours. After deleting a row, the same request creates a '
    'second record.';
comment on column app.idempotency_keys.key_digest is
    'SHA-256 of the key, in hexadecimal digits. The key is not stored.';
comment on column app.idempotency_keys.request_digest is
    'Keyed digest of method, path and body, by which a repeated request is recognised.';
comment on column app.idempotency_keys.resource_type is 'Table of the created record.';
comment on column app.idempotency_keys.resource_id is
    'The created record. The caller must still see it to get the answer.';
comment on column app.idempotency_keys.body is 'Body of the answer; no login can read it.';
comment on column app.idempotency_keys.etag is 'ETag of the answer; null if none.';
comment on column app.idempotency_keys.location is 'Location of the answer.';
comment on column app.idempotency_keys.created_at is 'Time of the answer. The row is deleted after 24 hours.';
