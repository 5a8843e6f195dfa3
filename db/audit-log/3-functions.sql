-- A deploy runs this file as taxclaims_housekeeper, which thus owns the functions of this file.

-- app.tend_audit_log has no parameters, so a caller cannot choose the months of the new partitions. If
-- app.tend_audit_log cannot lock the audit log within 0.1 s, it creates no partition; the next call creates the missing
-- partitions. If the partition audit_log.later is larger than 1 MB, app.tend_audit_log creates no partitions for the
-- months in audit_log.later, and audit.findings reports these months.
create or replace function app.tend_audit_log()
    returns integer
    language plpgsql volatile security definer set search_path = ''
    set lock_timeout = '100ms'
as $function$
begin
    delete from app.refusals_at_month_end where written_at < pg_catalog.now() - interval '40 days';
    begin
        return audit_log.make_months(1048576);
    exception
        when lock_not_available or deadlock_detected then
            return 0;
    end;
end
$function$;

comment on function app.tend_audit_log() is
    'Creates the missing audit log partitions of the present month and the next three, and deletes rows of '
    'app.refusals_at_month_end after 40 days. Returns the number of created partitions.';

-- Unlike app.tend_audit_log, app.place_audit_records also works if the partition audit_log.later is larger than 1 MB.
-- All writes that need an audit record wait until app.place_audit_records ends.
create or replace function app.place_audit_records()
    returns integer
    language plpgsql volatile security definer set search_path = ''
    set lock_timeout = '2s'
as $function$
begin
    return audit_log.make_months(null);
end
$function$;

comment on function app.place_audit_records() is
    'Creates the missing monthly partitions of the audit log and moves the records of audit_log.later into them. '
    'Returns the number of created partitions.';

create or replace function audit_log.parts()
    returns table (part regclass, name name, begins timestamp, ends timestamp)
    language sql stable set search_path = ''
    set timezone = 'UTC'
as $function$
    select
        c.oid::regclass,
        c.relname,
        coalesce(bound.limits[1]::timestamptz, '-infinity') at time zone 'UTC',
        coalesce(bound.limits[2]::timestamptz, 'infinity') at time zone 'UTC'
    from pg_catalog.pg_inherits as i
    join pg_catalog.pg_class as c on c.oid = i.inhrelid
    cross join lateral (
        -- With the partition's oid as second argument, pg_get_expr would lock the partition.
        select pg_catalog.regexp_match(
            pg_catalog.pg_get_expr(c.relpartbound, 0),
            $bounds$FROM \((?:'([^']+)'|MINVALUE)\) TO \((?:'([^']+)'|MAXVALUE)\)$bounds$
        ) as limits
    ) as bound
    where i.inhparent = 'audit_log.months'::regclass
$function$;

comment on function audit_log.parts() is
    'Returns the partitions of the audit log, each with its begin and end in UTC; a missing begin is -infinity, a '
    'missing end is infinity. app.tend_audit_log and npm run audit:archive call audit_log.parts.';

create or replace function audit_log.missing_months()
    returns setof timestamp
    language sql stable set search_path = ''
    set timezone = 'UTC'
as $function$
    select m.begins
    from pg_catalog.generate_series(
        (select p.ends from audit_log.parts() as p where p.name = 'earlier'),
        pg_catalog.date_trunc('month', pg_catalog.clock_timestamp() at time zone 'UTC') + interval '3 months',
        interval '1 month'
    ) as m (begins)
    where not exists (
        select
        from audit_log.parts() as p
        where p.name <> 'later' and p.begins <= m.begins and p.ends > m.begins
    )
$function$;

comment on function audit_log.missing_months() is
    'Returns the first day of each month that has no audit log partition, from the end of the partition '
    'audit_log.earlier to three months after the present month. For app.tend_audit_log.';

-- To create a partition inside the range of audit_log.later, audit_log.make_months detaches audit_log.later and
-- attaches it again. All reads and writes of the audit log wait until the caller of audit_log.make_months commits.
create or replace function audit_log.make_months(most_bytes bigint)
    returns integer
    language plpgsql volatile set search_path = ''
    set timezone = 'UTC'
as $function$
declare
    later_begins timestamp;
    splits_later boolean;
    missing timestamp[];
    begins timestamp;
    after timestamp with time zone;
begin
    if not exists (select from audit_log.missing_months()) then
        return 0;
    end if;
    -- The lock on audit_log.months lets writes of audit records go on; only other calls of audit_log.make_months wait.
    lock table audit_log.months in share update exclusive mode;
    select p.begins into later_begins from audit_log.parts() as p where p.name = 'later';
    splits_later := coalesce(pg_catalog.pg_relation_size('audit_log.later') <= make_months.most_bytes, true);
    missing := array(
        select m.begins
        from audit_log.missing_months() as m (begins)
        where splits_later or m.begins < later_begins
        order by m.begins
    );
    if missing = '{}' then
        return 0;
    end if;
    splits_later := later_begins <= missing[pg_catalog.cardinality(missing)];
    if splits_later then
        alter table audit_log.months detach partition audit_log.later;
        alter table audit_log.later no force row level security;
    end if;
    foreach begins in array missing
    loop
        perform audit_log.make_month(begins, case when begins >= later_begins then 'audit_log.later'::regclass end);
    end loop;
    if splits_later then
        after := (missing[pg_catalog.cardinality(missing)] + interval '1 month') at time zone 'UTC';
        if exists (select from audit_log.later) then
            alter table audit_log.later disable trigger audit_logs_append_only;
            delete from audit_log.later as l where l.created_at < after;
            if not exists (select from audit_log.later) then
                truncate audit_log.later;
            end if;
            alter table audit_log.later enable always trigger audit_logs_append_only;
        end if;
        perform audit_log.close_month('audit_log.later');
        execute pg_catalog.format(
            'alter table audit_log.months attach partition audit_log.later for values from (%L) to (maxvalue)',
            after
        );
    end if;
    return pg_catalog.cardinality(missing);
end
$function$;

comment on function audit_log.make_months(bigint) is
    'Creates the missing monthly partitions of the audit log and returns their number. Creates partitions for months '
    'that audit_log.later covers only if audit_log.later has at most `most_bytes` bytes (null: any size). For '
    'app.tend_audit_log.';

create or replace function audit_log.make_month(begins timestamp, filled_from regclass default null)
    returns void
    language plpgsql volatile set search_path = ''
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
    'Creates one monthly partition of the audit log and copies the records of that month from the partition '
    '`filled_from`, unless `filled_from` is null. For app.tend_audit_log.';

create or replace function audit_log.close_month(part regclass)
    returns void
    language plpgsql volatile set search_path = ''
as $function$
begin
    execute pg_catalog.format('alter table %s enable row level security, force row level security', close_month.part);
    execute pg_catalog.format(
        'create or replace trigger audit_logs_append_only before update or delete or truncate on %1$s
        for each statement execute function app.refuse_change();
        alter table %1$s enable always trigger audit_logs_append_only',
        close_month.part
    );
end
$function$;

comment on function audit_log.close_month(regclass) is
    'Forces row-level security on a partition of the audit log and adds the trigger that refuses changes of audit '
    'records. For app.tend_audit_log.';

-- After the removal of a month from the audit log, the partition audit_log.earlier covers that month, so that a late
-- audit record of the month can still be stored. npm run audit:archive calls audit_log.remove_part in the transaction
-- that compared the archive files with the audit records.
create or replace function audit_log.remove_part(part regclass)
    returns void
    language plpgsql volatile set search_path = ''
    set timezone = 'UTC'
as $function$
declare
    oldest record;
begin
    if remove_part.part = 'audit_log.earlier'::regclass then
        alter table audit_log.earlier disable trigger audit_logs_append_only;
        truncate audit_log.earlier;
        alter table audit_log.earlier enable always trigger audit_logs_append_only;
        return;
    end if;
    select p.part, p.ends into oldest from audit_log.parts() as p where p.name <> 'earlier' order by p.begins limit 1;
    if oldest.part is distinct from remove_part.part or oldest.ends = 'infinity' then
        raise exception '% is not the oldest month of the audit log', remove_part.part;
    end if;
    alter table audit_log.months detach partition audit_log.earlier;
    execute pg_catalog.format('drop table %s', remove_part.part);
    execute pg_catalog.format(
        'alter table audit_log.months attach partition audit_log.earlier for values from (minvalue) to (%L)',
        oldest.ends at time zone 'UTC'
    );
end
$function$;

comment on function audit_log.remove_part(regclass) is
    'Drops the given partition, which must be that of the oldest month of the audit log. For the partition '
    'audit_log.earlier, deletes its records instead. Only npm run audit:archive calls audit_log.remove_part.';
-- The service keeps audit records of refused requests on disk, so it may store a record after the record's month was
-- removed from the audit log. The audit record of a write is stored in the transaction of the write, so it is never
-- late.
create or replace function app.find_audit_log_start()
    returns timestamp with time zone
    language plpgsql stable security definer set search_path = ''
as $function$
declare
    ended constant timestamp with time zone := (
        select p.ends at time zone 'UTC' from audit_log.parts() as p where p.name = 'earlier'
    );
begin
    if exists (select from public.audit_logs as a where a.created_at < ended and a.success) then
        return '-infinity';
    end if;
    return ended;
end
$function$;

comment on function app.find_audit_log_start() is
    'Returns the time since which the audit log has a record of every write; -infinity if no month was removed yet. '
    'For app.next_changes.';

grant execute on function app.find_audit_log_start() to taxclaims_definer;
grant execute on function app.tend_audit_log() to taxclaims_api;
grant execute on function app.place_audit_records() to taxclaims_owner;
