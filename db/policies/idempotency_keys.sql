-- An answer that is kept for a repeated request is read by no request, only by the function that gives it back to the
-- subject it was kept for; what is older than a day may be removed by anybody's sweep, and nothing else.

-- Nobody updates one: an answer that was given stays what it was. created_at is the moment of the insert.
grant
    select (subject, key_digest, request_digest, resource_type, resource_id, body, etag, location, created_at),
    insert (subject, key_digest, request_digest, resource_type, resource_id, body, etag, location),
    delete
on app.idempotency_keys to taxclaims_definer;
-- A look-up is of one key_digest, and a sweep goes by the index of the time: here an `or` costs neither its index.
create policy idempotency_keys_select_definer on app.idempotency_keys for select to taxclaims_definer
    using (
        subject = (select app.setting('actor'))
        or created_at < pg_catalog.now() - interval '24 hours'
    );
create policy idempotency_keys_insert_definer on app.idempotency_keys for insert to taxclaims_definer
    with check (subject = (select app.setting('actor')));
create policy idempotency_keys_delete_definer on app.idempotency_keys for delete to taxclaims_definer
    using (created_at < pg_catalog.now() - interval '24 hours');
