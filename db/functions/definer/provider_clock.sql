-- What the service measures of the identity provider's clock. Each instance calls these as its login, about once a
-- minute; app.provider_time says what follows from it.

-- Of several instances, or several answers, the largest of two minutes counts. Null, as an instance says it at its start,
-- keeps what there is.
create or replace function app.note_provider_clock(ahead interval)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    present constant timestamp with time zone := pg_catalog.clock_timestamp();
begin
    insert into app.provider_clock as c (ahead, measured_at, server_started_at)
    values (note_provider_clock.ahead, present, pg_catalog.pg_postmaster_start_time())
    on conflict on constraint provider_clock_pkey do update
    set
        ahead = excluded.ahead,
        measured_at = excluded.measured_at,
        server_started_at = excluded.server_started_at
    where excluded.ahead is not null
        and not coalesce(
            c.ahead > excluded.ahead
                and c.server_started_at = excluded.server_started_at
                and c.measured_at between present - interval '2 minutes' and present,
            false
        );
end
$function$;

comment on function app.note_provider_clock(interval) is
    'Keeps how far the identity provider''s clock is ahead of this server''s at most.';
grant execute on function app.note_provider_clock(interval) to taxclaims_api;

-- Then what signs tokens has another clock than what answers, and nothing is known of it for an hour. Null for any other.
create or replace function app.disprove_provider_clock(issued_at timestamp with time zone)
    returns double precision
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    present constant timestamp with time zone := pg_catalog.clock_timestamp();
begin
    update app.provider_clock as c
    set
        disproved_at = present,
        disproved_since = case when c.disproved_at >= present - interval '1 hour' then c.disproved_since else present end
    where disprove_provider_clock.issued_at > present + c.ahead + interval '1 second';
    if not found then
        return null;
    end if;
    return extract(epoch from disprove_provider_clock.issued_at - present);
end
$function$;

comment on function app.disprove_provider_clock(timestamp with time zone) is
    'By how many seconds a token is from the future, where the measured clock of the provider does not explain it; that '
    'measurement then counts for nothing.';
grant execute on function app.disprove_provider_clock(timestamp with time zone) to taxclaims_api;
