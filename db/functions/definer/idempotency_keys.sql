-- Answers for requests that are sent again with the same Idempotency-Key. No request role reads the table: what it gets
-- of it is the one answer to its own subject, for the same key and the same request.

-- Takes a key of the caller for this transaction, and says how it stands:
--   `free`       nothing is known of it, or nothing of the last 24 hours: what is created now may be kept under it;
--   `under way`  another transaction has it, which is not waited for;
--   `other`      it was used for another request;
--   `kept`       this very request was answered: the answer, and the record, which the API looks up as the caller
--                before it gives the answer. is_gained: the record is a client that the caller created, and that is
--                theirs by the stored rights, though their token may not say it yet.
-- The lock only tells at once what the primary key would tell after a wait: whoever held it for another reason would
-- delay the one key that it stands for, and nobody's record is made twice. No other login may take one: db/roles.sql.
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
    'Takes an Idempotency-Key for this transaction, and says how it stands: free, under way, other (used for another '
    'request) or kept, with the answer.';
grant execute on function app.claim_key(text, text) to taxclaims_client, taxclaims_admin;

create or replace function app.keep_answer(
    key_digest text, request_digest text, resource_type text, resource_id uuid, body text, etag text, location text
)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
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
    'Keeps the answer under a key that this transaction has claimed.';
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
        -- Looked at again where another has used the key anew meanwhile.
        and k.created_at < pg_catalog.now() - interval '24 hours';
    get diagnostics forgotten = row_count;
    return forgotten;
end
$function$;

comment on function app.forget_answers(integer) is 'Removes answers older than 24 hours, at most so many; gives how many.';
grant execute on function app.forget_answers(integer) to taxclaims_api;
