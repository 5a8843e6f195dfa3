-- A deploy runs this file as taxclaims_housekeeper. The functions of this file count the audit records of each day, so
-- that an auditor can see later whether records were lost.

-- app.count_audit_days counts a day's audit records one hour after the day's end, when all transactions of the day have
-- ended. A deleted count of an earlier day is not replaced, because app.count_audit_days starts after the latest
-- counted day.
create or replace function app.count_audit_days()
    returns integer
    language plpgsql volatile security definer set search_path = ''
    set timezone = 'UTC'
as $function$
declare
    first constant date := coalesce(
        (select d.day + 1 from app.audit_days as d order by d.day desc limit 1),
        (select a.created_at::date from public.audit_logs as a order by a.created_at limit 1)
    );
    after constant date := least((pg_catalog.now() - interval '1 hour')::date, first + 7);
    counted integer;
begin
    insert into app.audit_days (day, records)
    select
        d.day,
        (
            select pg_catalog.count(*)
            from public.audit_logs as a
            where a.created_at >= d.day and a.created_at < d.day + interval '1 day'
        )
    from pg_catalog.generate_series(first, after - 1, interval '1 day') as d (day)
    on conflict do nothing;
    get diagnostics counted = row_count;
    return counted;
end
$function$;

comment on function app.count_audit_days() is
    'Counts the audit records of finished days, at most seven days per call. Returns the number of counted days.';

create or replace function app.audit_months()
    returns table (month date, begins date, ends date, days bigint, counted bigint, present bigint)
    language plpgsql stable security definer set search_path = ''
    set timezone = 'UTC'
as $function$
begin
    return query
    select
        m.month, m.begins, m.ends, m.days, m.counted,
        (
            select pg_catalog.count(*)
            from public.audit_logs as a
            where a.created_at >= m.begins::timestamp with time zone and a.created_at < m.ends::timestamp with time zone
        )
    from (
        select
            pg_catalog.date_trunc('month', d.day)::date as month,
            pg_catalog.min(d.day) as begins,
            pg_catalog.max(d.day) + 1 as ends,
            pg_catalog.count(*) as days,
            pg_catalog.sum(d.records)::bigint as counted
        from app.audit_days as d
        group by 1
    ) as m;
end
$function$;

comment on function app.audit_months() is
    'Returns for each month the sum of the daily counts of audit records, and the number of audit records present now. '
    'For audit.months.';

-- app.is_grant_recorded reads only the latest audit record about the grant of a client to a login.
create or replace function app.is_grant_recorded(login name, client uuid)
    returns boolean
    language plpgsql stable security definer set search_path = ''
as $function$
begin
    return coalesce(
        (
            select a.action not like 'reporting.revoke%'
            from public.audit_logs as a
            where a.action in (
                    'reporting.grant_client ' || login,
                    'reporting.adopt_grants ' || login,
                    'reporting.revoke_client ' || login
                )
                and a.client_context = client
            order by a.created_at desc
            limit 1
        ),
        false
    );
end
$function$;

comment on function app.is_grant_recorded(name, uuid) is
    'True if the audit log has a grant of the client to the login and no later revocation. For audit.findings.';
grant execute on function app.count_audit_days() to taxclaims_api;
grant execute on function app.audit_months() to taxclaims_auditor, taxclaims_owner;
grant execute on function app.is_grant_recorded(name, uuid) to taxclaims_auditor, taxclaims_owner;
