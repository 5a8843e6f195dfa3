-- The days that the law counts for a claim. Each function has its rule and its article in its comment. A day is a day in
-- Europe/Paris. The bodies of app.paris_day and app.paris_today name functions by oid, because reporting logins, whose
-- views call them, may not use the schema app. docs/decisions/deadlines.md
create or replace function app.paris_day(moment timestamp with time zone)
    returns date
    language sql stable strict parallel safe set search_path = ''
return (paris_day.moment at time zone 'Europe/Paris')::date;

comment on function app.paris_day(timestamp with time zone) is 'Returns the day of a moment in Europe/Paris.';

create or replace function app.paris_today()
    returns date
    language sql stable parallel safe set search_path = ''
return app.paris_day(pg_catalog.now());

comment on function app.paris_today() is
    'Returns today in Europe/Paris. The API, mails, calendars and reporting count days from app.paris_today.';

create or replace function app.reminder_day(moment timestamp with time zone, at time without time zone, zone text)
    returns date
    language plpgsql stable strict parallel safe set search_path = ''
as $function$
declare
    here constant timestamp without time zone := reminder_day.moment at time zone reminder_day.zone;
    last_time constant timestamp with time zone := (
        here::date - case when here::time < reminder_day.at then 1 else 0 end + reminder_day.at
    ) at time zone reminder_day.zone;
begin
    if app.paris_day(last_time) = app.paris_day(reminder_day.moment) then
        return app.paris_day(reminder_day.moment);
    end if;
    return null;
end
$function$;

comment on function app.reminder_day(timestamp with time zone, time without time zone, text) is
    'Returns the day in Europe/Paris of the moment if the given time of day, in the given time zone, has passed on that '
    'day; otherwise null.';

create or replace function app.claim_deadline(collection_date date)
    returns date
    language plpgsql immutable strict parallel safe set search_path = ''
as $function$
begin
    return pg_catalog.make_date(extract(year from claim_deadline.collection_date)::integer + 1, 12, 31);
end
$function$;

comment on function app.claim_deadline(date) is
    'Returns the last day to claim: 31 December of the year after the mise en recouvrement (LPF R*196-2 a). A Sunday '
    'or public holiday does not move the day, so that nobody claims too late.';

create or replace function app.response_due_day(
    received_on date, submitted_at timestamp with time zone, response_extended boolean
)
    returns date
    language plpgsql stable parallel safe set search_path = ''
as $function$
begin
    return coalesce(response_due_day.received_on, app.paris_day(response_due_day.submitted_at))
        + case when response_due_day.response_extended then interval '9 months' else interval '6 months' end;
end
$function$;

comment on function app.response_due_day(date, timestamp with time zone, boolean) is
    'Returns the last day for the administration''s answer: six months after it received the claim, nine if it said so '
    '(LPF R*198-10); the last day of a month that lacks the day. Before the receipt is known, the day of sending takes '
    'its place, as an estimate.';

create or replace function app.response_due_at(
    received_on date, submitted_at timestamp with time zone, response_extended boolean
)
    returns timestamp with time zone
    language plpgsql stable parallel safe set search_path = ''
as $function$
begin
    return (
        app.response_due_day(
            response_due_at.received_on, response_due_at.submitted_at, response_due_at.response_extended
        ) + time '23:59:59'
    ) at time zone 'Europe/Paris';
end
$function$;

comment on function app.response_due_at(date, timestamp with time zone, boolean) is
    'Returns the last second of app.response_due_day in Europe/Paris.';

create or replace function app.regularisation_due_day(asked_on date)
    returns date
    language plpgsql immutable strict parallel safe set search_path = ''
as $function$
begin
    return regularisation_due_day.asked_on + 30;
end
$function$;

comment on function app.regularisation_due_day(date) is
    'Returns the last day to mend a missing signature or mandate: 30 days after the letter was received (LPF R*197-3 c).';

create or replace function app.next_working_day(day date, commune_code text)
    returns date
    language plpgsql stable parallel safe set search_path = ''
as $function$
begin
    return (
        select pg_catalog.min(d.day)
        from (
            select next_working_day.day + n.days as day
            from pg_catalog.generate_series(0, 7) as n (days)
        ) as d
        where extract(isodow from d.day) < 6
            and not exists (
                select
                from public.public_holidays as h
                where h.day = d.day
                    and (
                        h.region = 'FR'
                        or pg_catalog."left"(next_working_day.commune_code, 2) in ('57', '67', '68')
                    )
            )
    );
end
$function$;

comment on function app.next_working_day(date, text) is
    'Returns the given day, or the next one that is no Saturday, Sunday or public holiday (CPC 642, which the '
    'administrative courts follow). The holidays of Alsace-Moselle count for communes of the departments 57, 67 and 68.';

create or replace function app.court_day(notified_on date, commune_code text)
    returns date
    language plpgsql stable parallel safe set search_path = ''
as $function$
begin
    return app.next_working_day((court_day.notified_on + interval '2 months')::date + 1, court_day.commune_code);
end
$function$;

comment on function app.court_day(date, text) is
    'Returns the last day to go to court: two months after the decision was received (LPF R*199-1), of which neither '
    'the first nor the last day counts (délai franc: received on 20 March, the last day is 21 May), or the next working '
    'day.';

create or replace function app.appeal_day(notified_on date, instance text)
    returns date
    language plpgsql stable parallel safe set search_path = ''
as $function$
begin
    return case
        -- The holidays of Alsace-Moselle are working days at the courts of appeal: Nancy and Paris.
        when appeal_day.instance in ('TA', 'CAA') then app.court_day(appeal_day.notified_on, null)
    end;
end
$function$;

comment on function app.appeal_day(date, text) is
    'Returns the last day to go to the next court, counted like app.court_day from the day the judgment was notified: '
    'to the Conseil d''État for TF after the TA (CJA R811-1 4°, R821-1), to the CAA for CFE after the TA (R811-2), to the '
    'Conseil d''État after the CAA (R821-1). No court follows the Conseil d''État.';

create or replace function app.relief_day(claim_deadline date)
    returns date
    language plpgsql immutable strict parallel safe set search_path = ''
as $function$
begin
    return pg_catalog.make_date(extract(year from relief_day.claim_deadline)::integer + 4, 12, 31);
end
$function$;

comment on function app.relief_day(date) is
    'Returns the last day on which the administration may grant relief of its own motion (dégrèvement d''office): 31 '
    'December of the fourth year after the claim deadline (LPF R*211-1).';

grant execute on function
    app.paris_day(timestamp with time zone),
    app.paris_today(),
    app.claim_deadline(date),
    app.response_due_day(date, timestamp with time zone, boolean),
    app.response_due_at(date, timestamp with time zone, boolean),
    app.regularisation_due_day(date),
    app.next_working_day(date, text),
    app.court_day(date, text),
    app.appeal_day(date, text),
    app.relief_day(date)
to taxclaims_client, taxclaims_admin, taxclaims_definer, taxclaims_reporting, taxclaims_auditor;

grant execute on function app.reminder_day(timestamp with time zone, time without time zone, text) to taxclaims_definer;
