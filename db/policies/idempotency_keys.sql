-- The database keeps the answer to a request for one day, so that a repeated request gets the same answer. Only
-- functions read and delete stored answers: each caller gets only their own answers, and the erasure of a user deletes
-- the user's answers.

grant
    select (subject, key_digest, request_digest, resource_type, resource_id, body, etag, location, created_at),
    insert (subject, key_digest, request_digest, resource_type, resource_id, body, etag, location),
    delete
on app.idempotency_keys to taxclaims_definer;
-- Each query of app.idempotency_keys repeats one of the conditions of this policy, so that the query can use an index.
create policy idempotency_keys_select_definer on app.idempotency_keys for select to taxclaims_definer
    using (
        subject = (select app.setting('actor'))
        or created_at < pg_catalog.now() - interval '24 hours'
        or (select app.role()) = 'ADMIN'
        or subject = (select u.subject from public.users as u where u.id = (select app.user_id()))
    );
create policy idempotency_keys_insert_definer on app.idempotency_keys for insert to taxclaims_definer
    with check (subject = (select app.setting('actor')));
create policy idempotency_keys_delete_definer on app.idempotency_keys for delete to taxclaims_definer
    using (created_at < pg_catalog.now() - interval '24 hours' or pg_catalog.pg_trigger_depth() > 0);
