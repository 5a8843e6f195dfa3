-- The audit log goes by month. What it holds so far becomes one part, as it stands: no record is copied. So that attaching
-- it need not read all of it under the strongest lock, a constraint says beforehand what that would look for; the next
-- migration makes it true of every record, while requests go on.
-- The bound lies a whole month ahead, for the release before writes until the deploy has ended, and behind the latest
-- record, for a clock may have gone wrong. A log that is new begins with the present month.
do $bound$
declare
    latest timestamp with time zone;
    months integer := 2;
begin
    lock table public.audit_logs in access exclusive mode;
    set local row_security = off;
    alter table public.audit_logs no force row level security;
    select a.created_at into latest from public.audit_logs as a order by a.created_at desc limit 1;
    alter table public.audit_logs force row level security;
    set local row_security = on;
    if latest is null then
        months := 0;
    end if;
    execute pg_catalog.format(
        'alter table public.audit_logs add constraint audit_logs_earlier check (created_at < %L) not valid',
        (
            pg_catalog.date_trunc('month', greatest(pg_catalog.clock_timestamp(), latest) at time zone 'UTC')
            + pg_catalog.make_interval(months => months)
        ) at time zone 'UTC'
    );
end
$bound$;
