-- Each instance of the service measures the identity provider's clock about once a minute. app.provider_time uses these
-- measurements.

-- app.note_provider_clock keeps the largest measurement of the last two minutes. At its start an instance of the
-- service calls app.note_provider_clock with null, which only creates a missing row of app.provider_clock.
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
    'Stores by how much, at most, the identity provider''s clock is ahead of the database server''s clock.';
grant execute on function app.note_provider_clock(interval) to taxclaims_api;

-- A token dated later than the identity provider's measured clock proves that the measurement is wrong. The service
-- then uses no measurement for an hour.
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
    'If a token is dated later than the identity provider''s measured clock, returns by how many seconds the date is '
    'in the future, and marks the measurement as wrong. Otherwise returns null.';
grant execute on function app.disprove_provider_clock(timestamp with time zone) to taxclaims_api;
