comment on table app.idempotency_keys is
    'Responses to requests with an Idempotency-Key, stored for 24 hours. '
    'After a row is deleted, a repeated request creates a second record.';
comment on column app.idempotency_keys.key_digest is
    'SHA-256 of the Idempotency-Key, in hexadecimal digits. The Idempotency-Key itself is not stored.';
comment on column app.idempotency_keys.request_digest is
    'Keyed digest of method, path and body, which identifies a repeated request.';
comment on column app.idempotency_keys.resource_type is 'Table in which the request created a record.';
comment on column app.idempotency_keys.resource_id is
    'Id of the record that the request created. '
    'A repeated request gets the response only if its caller can still read the record.';
comment on column app.idempotency_keys.body is 'Body of the response; no database login can read it.';
comment on column app.idempotency_keys.etag is 'ETag of the response; null if none.';
comment on column app.idempotency_keys.location is 'Location header of the response.';
comment on column app.idempotency_keys.created_at is
    'Time at which the response was stored. The service deletes the row after 24 hours.';
