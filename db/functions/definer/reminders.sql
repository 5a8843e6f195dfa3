-- The functions of this file serve the outbox of reminder mails. app.choose_reminders stores the choice of the calling
-- user; the other functions of this file deliver the mails of all users.

-- app.plan_reminders gives up unsent mails of earlier days, because today's mail also covers those days. The column
-- told_until is the last day that a sent mail covered. app.plan_reminders keeps an earlier mail that a service instance
-- is sending, and adds no mail of today for the same user.
create or replace function app.plan_reminders(at time without time zone, zone text)
    returns integer
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    today constant date := app.reminder_day(pg_catalog.clock_timestamp(), plan_reminders.at, plan_reminders.zone);
    planned integer;
begin
    if today is null then
        return 0;
    end if;

    update app.reminders as r
    set
        state = 'GIVEN_UP',
        ended_at = pg_catalog.clock_timestamp(),
        claim = null,
        claimed_until = null,
        cut_off = r.cut_off + case when r.handed_over_at is null then 0 else 1 end,
        handed_over_at = null
    from public.users as u
    where u.id = r.user_id
        and r.state = 'WAITING'
        and (r.day < today or not u.is_active or u.reminder_kinds = '{}')
        and coalesce(r.claimed_until < pg_catalog.clock_timestamp(), true);

    -- The insert is ordered by user, so that concurrent calls of app.plan_reminders cause no deadlock.
    insert into app.reminders (user_id, day, told_until, waits_since)
    select
        u.id,
        today,
        greatest(coalesce(told.day, today - 1), today - 31),
        coalesce(
            (
                select pg_catalog.min(r.waits_since)
                from app.reminders as r
                where r.user_id = u.id
                    and r.state = 'GIVEN_UP'
                    and r.day > coalesce(told.day, '-infinity')
                    and r.day >= today - 31
            ),
            pg_catalog.clock_timestamp()
        )
    from public.users as u
    cross join lateral (
        select pg_catalog.max(r.day) as day
        from app.reminders as r
        where r.user_id = u.id and r.state in ('SENT', 'NOTHING_DUE')
    ) as told
    where u.is_active
        and u.reminder_kinds <> '{}'
        and not exists (
            select
            from app.reminders as r
            where r.user_id = u.id and (r.day >= today or r.state = 'WAITING')
        )
    order by u.id
    on conflict do nothing;
    get diagnostics planned = row_count;

    delete from app.reminders as r
    where r.state <> 'WAITING' and r.day < today - 91;
    return planned;
end
$function$;

comment on function app.plan_reminders(time without time zone, text) is
    'If app.reminder_day gives a day for now, adds the day''s reminder for each active user who wants reminders, and '
    'returns the number of added reminders. Gives up unsent reminders of earlier days and deletes reminders older than '
    '91 days.';
grant execute on function app.plan_reminders(time without time zone, text) to taxclaims_api;

-- If a service instance hands a mail to the mail server and stores no result before its lease ends, another instance
-- sends the mail again, and the column cut_off increases.
create or replace function app.claim_reminder(lease interval)
    returns table (
        user_id uuid,
        day date,
        told_until date,
        claim uuid,
        subject text,
        name text,
        role text,
        client_access uuid[],
        access_digest text,
        language text,
        kinds text[],
        only_mine boolean
    )
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    present constant timestamp with time zone := pg_catalog.clock_timestamp();
begin
    return query
    with due as (
        select r.user_id, r.day
        from app.reminders as r
        where r.state = 'WAITING'
            and r.next_attempt_at <= present
            and coalesce(r.claimed_until < present, true)
        order by r.next_attempt_at
        limit 1
        for update skip locked
    )
    update app.reminders as r
    set
        claim = pg_catalog.gen_random_uuid(),
        claimed_until = present + claim_reminder.lease,
        cut_off = r.cut_off + case when r.handed_over_at is null then 0 else 1 end,
        handed_over_at = null
    from due
    join public.users as u on u.id = due.user_id
    where r.user_id = due.user_id and r.day = due.day
    returning
        r.user_id, r.day, r.told_until, r.claim, coalesce(u.subject, u.id::text), u.name::text, u.role, u.client_access,
        u.access_digest, u.language, u.reminder_kinds, u.reminders_only_mine;
end
$function$;

comment on function app.claim_reminder(interval) is
    'Reserves a due reminder, so that only the calling service instance sends the mail until the end of the lease, and '
    'returns the reminder with its user''s rights; no row if no reminder is due.';
grant execute on function app.claim_reminder(interval) to taxclaims_api;

create or replace function app.hand_over_reminder(claimed uuid, access_digest text, lease interval)
    returns text
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    address text;
begin
    update app.reminders as r
    set
        attempts = r.attempts + 1,
        handed_over_at = pg_catalog.clock_timestamp(),
        claimed_until = pg_catalog.clock_timestamp() + hand_over_reminder.lease
    from public.users as u
    where u.id = r.user_id
        and r.claim = hand_over_reminder.claimed
        and r.claimed_until > pg_catalog.clock_timestamp()
        and r.state = 'WAITING'
        and u.is_active
        and u.access_digest = hand_over_reminder.access_digest
    returning u.email
    into address;
    return address;
end
$function$;

comment on function app.hand_over_reminder(uuid, text, interval) is
    'Stores that a service instance is about to send a reminder mail, and returns the user''s email address. Returns '
    'null if the lease ended or the user''s rights changed; in that case the instance must not send the mail.';
grant execute on function app.hand_over_reminder(uuid, text, interval) to taxclaims_api;

-- app.settle_reminder stores a sent mail as SENT even if the lease ended, so that no other instance sends the mail
-- again.
create or replace function app.settle_reminder(
    target uuid, day date, claimed uuid, outcome text, failure text, is_cut_off boolean, retry_after interval
)
    returns boolean
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    update app.reminders as r
    set
        state = settle_reminder.outcome,
        ended_at = case when settle_reminder.outcome <> 'WAITING' then pg_catalog.clock_timestamp() end,
        claim = null,
        claimed_until = null,
        handed_over_at = case when settle_reminder.is_cut_off then r.handed_over_at end,
        last_error = pg_catalog."left"(settle_reminder.failure, 500),
        next_attempt_at = pg_catalog.clock_timestamp() + greatest(
            least(settle_reminder.retry_after, interval '1 hour'),
            least(interval '15 seconds' * (2 ^ least(r.attempts, 10)), interval '30 minutes')
                * case when settle_reminder.failure is null then 0 else 0.5 + pg_catalog.random() / 2 end
        )
    where r.user_id = settle_reminder.target
        and r.day = settle_reminder.day
        and r.state = 'WAITING'
        and (r.claim = settle_reminder.claimed or settle_reminder.outcome = 'SENT');
    return found;
end
$function$;

comment on function app.settle_reminder(uuid, date, uuid, text, text, boolean, interval) is
    'Stores the result of a reminder that a service instance has reserved (SENT, NOTHING_DUE, or WAITING with an error '
    'and the time of the next attempt). Returns false if the reminder is no longer reserved for the instance.';
grant execute on function app.settle_reminder(uuid, date, uuid, text, text, boolean, interval) to taxclaims_api;

create or replace function app.unsent_reminders()
    returns table (mails bigint, oldest_seconds double precision, cut_off bigint)
    language sql stable security definer set search_path = ''
begin atomic
    select
        pg_catalog.count(*) filter (where r.state = 'WAITING'),
        coalesce(
            extract(epoch from pg_catalog.clock_timestamp() - pg_catalog.min(r.waits_since) filter (where r.state = 'WAITING')),
            0
        )::double precision,
        coalesce(pg_catalog.sum(r.cut_off), 0)
    from app.reminders as r;
end;

comment on function app.unsent_reminders() is
    'Returns the number of waiting mails, the age of the oldest in seconds, and how often in the last 90 days a mail '
    'was handed to the mail server without a stored result of the delivery.';
grant execute on function app.unsent_reminders() to taxclaims_api;

create or replace function app.choose_reminders(language text, kinds text[], only_mine boolean)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    update public.users as u
    set
        language = coalesce(choose_reminders.language, u.language),
        reminder_kinds = coalesce(choose_reminders.kinds, u.reminder_kinds),
        reminders_only_mine = coalesce(choose_reminders.only_mine, u.reminders_only_mine)
    where u.id = app.user_id();
    if not found then
        raise exception 'the caller is not stored' using errcode = 'TX409', constraint = 'users_not_stored';
    end if;
end
$function$;

comment on function app.choose_reminders(text, text[], boolean) is
    'Stores the caller''s language and choice of reminders; a null argument leaves the stored value unchanged. Raises '
    'TX409 if the caller is not stored.';
grant execute on function app.choose_reminders(text, text[], boolean) to taxclaims_client, taxclaims_admin;
