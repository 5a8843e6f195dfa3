-- Run by taxclaims_housekeeper, whose these are.

-- Makes the present month of the audit log and the three that follow, where they are not there yet; gives how many it
-- made. Forgets the refusals about the end of a month that are long over. Takes no argument: whoever calls it gets no other month. It waits for others for a tenth of a second, and then
-- leaves the rest to the next call, as it does where another is at work. A month of which records stand in
-- audit_log.other already is left out, and a finding says so.
create or replace function app.tend_audit_log()
    returns integer
    language plpgsql
    volatile
    security definer
    set search_path = ''
    set lock_timeout = '100ms'
    set timezone = 'UTC'
as $function$
declare
    this_month constant timestamp := pg_catalog.date_trunc('month', pg_catalog.clock_timestamp() at time zone 'UTC');
    begins timestamp;
    made integer := 0;
begin
    delete from app.refusals_at_month_end where written_at < pg_catalog.now() - interval '40 days';
    for begins in
        select this_month + pg_catalog.make_interval(months => n.number)
        from pg_catalog.generate_series(0, 3) as n (number)
    loop
        continue when audit_log.has_month(begins);
        begin
            -- Of two at once one makes it; no write waits for this lock.
            lock table audit_log.months in share update exclusive mode;
            if not audit_log.has_month(begins) then
                perform audit_log.make_month(begins);
                made := made + 1;
            end if;
        exception
            when lock_not_available or deadlock_detected then
                return made;
            when check_violation then
                null;
        end;
    end loop;
    return made;
end
$function$;

comment on function app.tend_audit_log() is
    'Makes the present month of the audit log and the next three where they are missing, and gives how many; forgets the '
    'refusals about the end of a month that are long over.';

-- Whether the records of a month have their place already, in a part of its name or among those before the months.
create or replace function audit_log.has_month(begins timestamp)
    returns boolean
    language sql
    stable
    set search_path = ''
    set timezone = 'UTC'
as $function$
    select exists (
        select
        from pg_catalog.pg_inherits as i
        join pg_catalog.pg_class as c on c.oid = i.inhrelid
        where i.inhparent = 'audit_log.months'::regclass
            and (
                c.relname = 'month_' || pg_catalog.to_char(has_month.begins, 'YYYY_MM')
                or (
                    c.relname = 'earlier'
                    and pg_catalog.substring(pg_catalog.pg_get_expr(c.relpartbound, c.oid), 'TO \(''([^'']+)''')::timestamptz
                        > has_month.begins at time zone 'UTC'
                )
            )
    )
$function$;

comment on function audit_log.has_month(timestamp) is
    'Whether a month of the audit log has been made. Serves app.tend_audit_log.';

-- Made whole before it is attached, so that the log is held for no longer than that takes. `filled_from` is a part whose
-- records of that month it begins with, or null.
create or replace function audit_log.make_month(begins timestamp, filled_from regclass default null)
    returns void
    language plpgsql
    volatile
    set search_path = ''
    set timezone = 'UTC'
as $function$
declare
    part constant text := 'month_' || pg_catalog.to_char(make_month.begins, 'YYYY_MM');
    first constant timestamp with time zone := make_month.begins at time zone 'UTC';
    after constant timestamp with time zone := (make_month.begins + interval '1 month') at time zone 'UTC';
    index_made text;
begin
    execute pg_catalog.format(
        'create table audit_log.%I (like audit_log.months including defaults, constraint %I primary key (id))',
        part,
        part || '_pkey'
    );
    if make_month.filled_from is not null then
        execute pg_catalog.format(
            'insert into audit_log.%I select * from %s where created_at >= %L and created_at < %L',
            part, make_month.filled_from, first, after
        );
    end if;
    for index_made in
        select pg_catalog.replace(
            pg_catalog.replace(pg_catalog.pg_get_indexdef(i.indexrelid), ' ON ONLY audit_log.months ', pg_catalog.format(' ON audit_log.%I ', part)),
            'CREATE INDEX months_',
            'CREATE INDEX ' || part || '_'
        )
        from pg_catalog.pg_index as i
        where i.indrelid = 'audit_log.months'::regclass
    loop
        execute index_made;
    end loop;
    perform audit_log.close_month(pg_catalog.format('audit_log.%I', part)::regclass);
    execute pg_catalog.format(
        'alter table audit_log.months attach partition audit_log.%I for values from (%L) to (%L)',
        part, first, after
    );
end
$function$;

comment on function audit_log.make_month(timestamp, regclass) is
    'Makes the month of the audit log that begins then, with the records of it that stand in another part. Serves '
    'app.tend_audit_log.';

-- Its rows are for nobody who names it, and are only added to, by whomever.
create or replace function audit_log.close_month(part regclass)
    returns void
    language plpgsql
    volatile
    set search_path = ''
as $function$
begin
    execute pg_catalog.format('alter table %s enable row level security, force row level security', close_month.part);
    execute pg_catalog.format(
        'create or replace trigger audit_logs_append_only before update or delete or truncate on %s
        for each statement execute function app.refuse_change()',
        close_month.part
    );
end
$function$;

comment on function audit_log.close_month(regclass) is
    'Closes a part of the audit log to whoever names it, and to changes. Serves app.tend_audit_log.';

-- Gives each record that stands in audit_log.other its month, and makes that; gives how many there were. Writing waits
-- meanwhile: for the owner, after a finding said that records stand there.
create or replace function app.place_audit_records()
    returns bigint
    language plpgsql
    volatile
    security definer
    set search_path = ''
    set lock_timeout = '2s'
    set timezone = 'UTC'
as $function$
declare
    begins timestamp;
    placed bigint;
begin
    lock table audit_log.months, audit_log.other in access exclusive mode;
    alter table audit_log.months detach partition audit_log.other;
    alter table audit_log.other no force row level security;
    for begins in
        select distinct pg_catalog.date_trunc('month', o.created_at at time zone 'UTC') from audit_log.other as o
    loop
        perform audit_log.make_month(begins, 'audit_log.other');
    end loop;
    select pg_catalog.count(*) into placed from audit_log.other;
    drop trigger audit_logs_append_only on audit_log.other;
    truncate audit_log.other;
    perform audit_log.close_month('audit_log.other');
    alter table audit_log.months attach partition audit_log.other default;
    return placed;
end
$function$;

comment on function app.place_audit_records() is
    'Makes the months of the records that stand in audit_log.other, and moves these there; gives how many.';

revoke execute on function app.tend_audit_log() from public;
revoke execute on function audit_log.has_month(timestamp) from public;
revoke execute on function audit_log.make_month(timestamp, regclass) from public;
revoke execute on function audit_log.close_month(regclass) from public;
revoke execute on function app.place_audit_records() from public;
grant execute on function app.tend_audit_log() to taxclaims_api;
grant execute on function app.place_audit_records() to taxclaims_owner;
