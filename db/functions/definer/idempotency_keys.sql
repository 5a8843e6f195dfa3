-- If a caller sends a request with an Idempotency-Key again, the service returns the stored response. The response goes
-- only to the caller of the first request, and only if both requests are the same.

-- The column `standing` is `free` if the key is unknown or older than 24 hours, `under way` if another transaction
-- holds the key (app.claim_key does not wait), `other` if the key belongs to a different request, and `kept` if a
-- response is stored. The API returns a stored response only to a caller who can read the record that the request
-- created. The column `is_gained` is true for a client that the caller created and still has; the caller's token may
-- not list that client yet. The advisory lock shows at once that another transaction holds the key; an insert would
-- wait for that transaction. Logins have no right to take advisory locks (db/roles.sql).
create or replace function app.claim_key(key_digest text, request_digest text)
    returns table (
        standing text,
        resource_type text,
        resource_id uuid,
        is_gained boolean,
        body text,
        etag text,
        location text
    )
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    caller constant text := app.setting('actor');
    kept record;
begin
    if not pg_catalog.pg_try_advisory_xact_lock(
        pg_catalog.hashtextextended(claim_key.key_digest, pg_catalog.hashtextextended(caller, 0))
    ) then
        standing := 'under way';
        return next;
        return;
    end if;

    delete from app.idempotency_keys as k
    where k.subject = caller
        and k.key_digest = claim_key.key_digest
        and k.created_at < pg_catalog.now() - interval '24 hours';

    select k.request_digest, k.resource_type, k.resource_id, k.body, k.etag, k.location
    into kept
    from app.idempotency_keys as k
    where k.subject = caller and k.key_digest = claim_key.key_digest;
    if not found then
        standing := 'free';
    elsif kept.request_digest <> claim_key.request_digest then
        standing := 'other';
    else
        standing := 'kept';
        resource_type := kept.resource_type;
        resource_id := kept.resource_id;
        is_gained := kept.resource_type = 'clients' and (
            exists (
                select
                from app.created_clients as c
                where c.subject = caller and c.client_id = kept.resource_id
            )
            or exists (
                select
                from public.users as u
                where u.subject = caller and kept.resource_id = any (u.client_access)
            )
        );
        body := kept.body;
        etag := kept.etag;
        location := kept.location;
    end if;
    return next;
end
$function$;

comment on function app.claim_key(text, text) is
    'Locks an Idempotency-Key until the end of the transaction. The column `standing` tells whether a response is '
    'stored; if it is `kept`, the row also has the stored response.';
grant execute on function app.claim_key(text, text) to taxclaims_client, taxclaims_admin;

create or replace function app.keep_answer(
    key_digest text, request_digest text, resource_type text, resource_id uuid, body text, etag text, location text
)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    perform app.hold_caller(app.setting('actor'), app.user_id());
    insert into app.idempotency_keys (
        subject, key_digest, request_digest, resource_type, resource_id, body, etag, location
    )
    values (
        app.setting('actor'),
        keep_answer.key_digest,
        keep_answer.request_digest,
        keep_answer.resource_type,
        keep_answer.resource_id,
        keep_answer.body,
        keep_answer.etag,
        keep_answer.location
    );
end
$function$;

comment on function app.keep_answer(text, text, text, uuid, text, text, text) is
    'Stores the response to a request whose Idempotency-Key the transaction has locked.';
grant execute on function app.keep_answer(text, text, text, uuid, text, text, text) to taxclaims_client, taxclaims_admin;

create or replace function app.forget_answers(most integer)
    returns integer
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    forgotten integer;
begin
    delete from app.idempotency_keys as k
    using (
        select e.subject, e.key_digest
        from app.idempotency_keys as e
        where e.created_at < pg_catalog.now() - interval '24 hours'
        order by e.created_at
        limit forget_answers.most
    ) as expired
    where k.subject = expired.subject
        and k.key_digest = expired.key_digest
        -- The delete checks the age again, because another request may have replaced the row since the subquery read
        -- it.
        and k.created_at < pg_catalog.now() - interval '24 hours';
    get diagnostics forgotten = row_count;
    delete from app.document_links as l
    where l.expires_at <= pg_catalog.now();
    return forgotten;
end
$function$;

comment on function app.forget_answers(integer) is
    'Deletes at most `most` responses that were stored for Idempotency-Keys more than 24 hours ago, and returns their '
    'number. app.forget_answers also deletes download addresses that no longer work.';
grant execute on function app.forget_answers(integer) to taxclaims_api;
