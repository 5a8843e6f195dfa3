-- The service's measurements of the provider's clock, about once a minute from each instance. app.provider_time uses
-- them.

-- The largest value of two minutes counts. Null, at an instance's start, changes nothing.
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
    'Stores how far the identity provider''s clock is ahead at most.';
grant execute on function app.note_provider_clock(interval) to taxclaims_api;

-- A token from the future proves that the signer's clock was not the measured one: the provider's clock is unknown for
-- an hour. Null for other tokens.
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
    'Seconds by which a token is from the future, beyond the measured clock, which then counts as unknown; else null.';
grant execute on function app.disprove_provider_clock(timestamp with time zone) to taxclaims_api;
