comment on table app.idempotency_keys is
    'Responses to requests with an Idempotency-Key, kept for 24 hours. If a row is deleted, the same request creates '
    'a second record.';
comment on column app.idempotency_keys.key_digest is
    'SHA-256 of the key, in hexadecimal digits. The key is not stored.';
comment on column app.idempotency_keys.request_digest is
    'Keyed digest of method, path and body, which identifies a repeated request.';
comment on column app.idempotency_keys.resource_type is 'Table of the created record.';
comment on column app.idempotency_keys.resource_id is
    'Id of the created record. The caller must still be able to read the record to get the response.';
comment on column app.idempotency_keys.body is 'Body of the response; no login can read it.';
comment on column app.idempotency_keys.etag is 'ETag of the response; null if none.';
comment on column app.idempotency_keys.location is 'Location header of the response.';
comment on column app.idempotency_keys.created_at is 'Time of the response. The row is deleted after 24 hours.';
