-- The instances of the API call the functions of this file to send changes of users' rights to the identity provider.
-- app.claim_identity_changes and app.claim_erasures skip a user whose row another transaction has locked;
-- app.settle_identity_change waits for that transaction.

create or replace function app.claim_identity_changes(most integer, lease interval)
    returns table (
        user_id uuid,
        claim uuid,
        subject text,
        role text,
        client_access uuid[],
        is_active boolean
    )
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    due record;
    given integer := 0;
begin
    for due in
        select c.user_id
        from public.identity_changes as c
        where c.delivered_at is null
        group by c.user_id
        having pg_catalog.bool_and(c.erased_subject is null)
            and pg_catalog.min(c.next_attempt_at) <= pg_catalog.clock_timestamp()
            and coalesce(pg_catalog.max(c.claimed_until) < pg_catalog.clock_timestamp(), true)
        order by pg_catalog.min(c.next_attempt_at)
    loop
        exit when given >= claim_identity_changes.most;
        select u.id, u.subject, u.role, u.client_access, u.is_active
        into user_id, subject, role, client_access, is_active
        from public.users as u
        where u.id = due.user_id
        for no key update skip locked;
        continue when not found;

        -- Under the user's row lock, the update checks again that no instance has reserved or delivered the change.
        claim := pg_catalog.gen_random_uuid();
        update public.identity_changes as c
        set
            claim = claim_identity_changes.claim,
            claimed_until = pg_catalog.clock_timestamp() + claim_identity_changes.lease
        where c.user_id = due.user_id
            and c.delivered_at is null
            and not exists (
                select
                from public.identity_changes as o
                where o.user_id = due.user_id
                    and o.delivered_at is null
                    and (o.claimed_until >= pg_catalog.clock_timestamp() or o.erased_subject is not null)
            );
        if found then
            given := given + 1;
            return next;
        end if;
    end loop;
end
$function$;

comment on function app.claim_identity_changes(integer, interval) is
    'Reserves the due changes of at most `most` users, so that only the calling service instance sends them, and '
    'returns the users'' rights. After the time `lease` another service instance may reserve the changes.';
grant execute on function app.claim_identity_changes(integer, interval) to taxclaims_api;

-- app.claim_identity_changes leaves erased users out, because the previous release would send the rights of those
-- users. app.claim_erasures reserves all undelivered changes of an erased user.
create or replace function app.claim_erasures(most integer, lease interval)
    returns table (user_id uuid, claim uuid, subject text)
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    due record;
begin
    for due in
        select u.id, c.erased_subject
        from public.identity_changes as c
        join public.users as u on u.id = c.user_id
        where c.erased_subject is not null
            and c.delivered_at is null
            and c.next_attempt_at <= pg_catalog.clock_timestamp()
            and coalesce(c.claimed_until < pg_catalog.clock_timestamp(), true)
        order by c.next_attempt_at
        limit claim_erasures.most
        for no key update of u skip locked
    loop
        user_id := due.id;
        claim := pg_catalog.gen_random_uuid();
        subject := due.erased_subject;
        update public.identity_changes as c
        set
            claim = claim_erasures.claim,
            claimed_until = pg_catalog.clock_timestamp() + claim_erasures.lease
        where c.user_id = due.id
            and c.delivered_at is null
            -- Under the user's row lock, the update checks again that no other instance has reserved the erasure.
            and not exists (
                select
                from public.identity_changes as o
                where o.user_id = due.id
                    and o.erased_subject is not null
                    and o.claimed_until >= pg_catalog.clock_timestamp()
            );
        continue when not found;
        return next;
    end loop;
end
$function$;

comment on function app.claim_erasures(integer, interval) is
    'Reserves the erasures of at most `most` users, so that only the calling service instance sends them, and returns '
    'the subjects that the identity provider must remove.';
grant execute on function app.claim_erasures(integer, interval) to taxclaims_api;

-- After a failed delivery, the service waits at least retry_after before it tries again, and longer after each further
-- failure. A change that is made after the reservation of the user's changes stays undelivered. A service instance that
-- sends rights after the end of its lease may overwrite newer rights at the identity provider. If the lease ended
-- before the delivery, app.settle_identity_change marks the newest change as undelivered, unless the user was erased.
create or replace function app.settle_identity_change(
    target uuid, claimed uuid, failure text, retry_after interval
)
    returns boolean
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    perform
    from public.users as u
    where u.id = settle_identity_change.target
    for no key update;
    if not found then
        return true;
    end if;

    update public.identity_changes as c
    set
        attempts = c.attempts + 1,
        claim = null,
        claimed_until = null,
        last_error = pg_catalog."left"(settle_identity_change.failure, 500),
        delivered_at = case when settle_identity_change.failure is null then pg_catalog.clock_timestamp() end,
        erased_subject = case when settle_identity_change.failure is not null then c.erased_subject end,
        next_attempt_at = pg_catalog.clock_timestamp() + greatest(
            least(coalesce(settle_identity_change.retry_after, interval '0'), interval '1 hour'),
            least(interval '1 second' * (2 ^ least(c.attempts, 10)), interval '5 minutes')
                * (0.5 + pg_catalog.random() / 2)
        )
    where c.user_id = settle_identity_change.target
        and c.claim = settle_identity_change.claimed
        and c.delivered_at is null;
    if found then
        return true;
    end if;
    if exists (select from public.users as u where u.id = settle_identity_change.target and u.erased_at is not null) then
        return false;
    end if;

    update public.identity_changes as c
    set
        ends_tokens = true,
        delivered_at = null,
        claim = null,
        claimed_until = null,
        next_attempt_at = pg_catalog.clock_timestamp()
    where c.id = (
        select n.id
        from public.identity_changes as n
        where n.user_id = settle_identity_change.target
        order by n.created_at desc, n.id desc
        limit 1
    );
    if not found then
        perform app.note_identity_change(settle_identity_change.target, true);
    end if;
    return false;
end
$function$;

comment on function app.settle_identity_change(uuid, uuid, text, interval) is
    'Stores that changes reserved by a service instance were delivered, or the error and the time of the next attempt. '
    'Returns false if the changes are no longer reserved for the instance; the service then sends the user''s newest '
    'change again.';
grant execute on function app.settle_identity_change(uuid, uuid, text, interval) to taxclaims_api;

create or replace function app.release_identity_changes(claims uuid[], retry_after interval)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    update public.identity_changes as c
    set
        claim = null,
        claimed_until = null,
        next_attempt_at = greatest(
            c.next_attempt_at,
            pg_catalog.clock_timestamp() + least(release_identity_changes.retry_after, interval '1 hour')
        )
    where c.claim = any (release_identity_changes.claims) and c.delivered_at is null;
end
$function$;

comment on function app.release_identity_changes(uuid[], interval) is
    'Frees the changes that a service instance reserved and did not deliver, so that any instance can reserve them '
    'after retry_after.';
grant execute on function app.release_identity_changes(uuid[], interval) to taxclaims_api;

create or replace function app.undelivered_identity_changes(users uuid[])
    returns table (changes bigint, oldest_seconds double precision)
    language sql stable security definer set search_path = ''
begin atomic
    select
        pg_catalog.count(*),
        coalesce(
            extract(epoch from pg_catalog.clock_timestamp() - pg_catalog.min(c.created_at)),
            0
        )::double precision
    from public.identity_changes as c
    where c.delivered_at is null
        and (undelivered_identity_changes.users is null or c.user_id = any (undelivered_identity_changes.users));
end;

comment on function app.undelivered_identity_changes(uuid[]) is
    'Returns the number of changes of rights that are not delivered to the identity provider, and the age of the '
    'oldest in seconds; for the given users, or for all users if the argument is null.';
grant execute on function app.undelivered_identity_changes(uuid[]) to taxclaims_api;

create or replace function app.forget_identity_changes(most integer)
    returns integer
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    forgotten integer;
begin
    delete from public.identity_changes as c
    using (
        select e.id
        from public.identity_changes as e
        where e.delivered_at < pg_catalog.now() - interval '90 days'
        order by e.delivered_at
        limit forget_identity_changes.most
    ) as expired
    where c.id = expired.id
        -- The delete checks delivered_at again, because app.settle_identity_change may have reset it.
        and c.delivered_at < pg_catalog.now() - interval '90 days';
    get diagnostics forgotten = row_count;
    return forgotten;
end
$function$;

comment on function app.forget_identity_changes(integer) is
    'Deletes at most `most` changes of rights that were delivered to the identity provider more than 90 days ago, and '
    'returns their number.';
grant execute on function app.forget_identity_changes(integer) to taxclaims_api;
