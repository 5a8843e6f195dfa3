-- The position of a reader of GET /api/changes is a text of three parts with dots between them: an identifier of the
-- server start, the time of the last read, and the pg_snapshot of that read. If a read returned only some audit records
-- of a transaction, the reader's position also has the id of that transaction, and the time and id of the last returned
-- audit record. See docs/decisions/change-feed.md.

create or replace function app.server_start()
    returns text
    language sql stable set search_path = ''
begin atomic
    select pg_catalog.to_hex(
        pg_catalog.hashtextextended(
            pg_catalog.concat_ws(
                ' ',
                extract(epoch from pg_catalog.pg_postmaster_start_time()),
                -- A crash of a backend process resets Postgres's statistics, but does not restart the postmaster.
                extract(epoch from s.stats_reset)
            ),
            0
        )
    )
    from pg_catalog.pg_stat_bgwriter as s;
end;

comment on function app.server_start() is
    'Returns a text that differs after each start or crash of the Postgres server. After a crash or a failover '
    'Postgres may use a transaction id a second time.';
grant execute on function app.server_start() to taxclaims_definer;

create or replace function app.build_seen_snapshot(snapshot pg_snapshot, upto bigint, writing bigint[])
    returns text
    language sql stable set search_path = ''
begin atomic
    select pg_catalog.concat(
        coalesce(u.ids[1], u.next), ':', u.next, ':', pg_catalog.array_to_string(u.ids, ',')
    )
    from (
        select
            greatest(pg_catalog.pg_snapshot_xmax(build_seen_snapshot.snapshot)::text::bigint, build_seen_snapshot.upto) as next,
            array(
                select x.id::text::bigint
                from pg_catalog.pg_snapshot_xip(build_seen_snapshot.snapshot) as x (id)
                where x.id::text::bigint >= build_seen_snapshot.upto
                union
                select w.id from pg_catalog.unnest(build_seen_snapshot.writing) as w (id) where w.id < build_seen_snapshot.upto
                order by 1
            ) as ids
    ) as u;
end;

comment on function app.build_seen_snapshot(pg_snapshot, bigint, bigint[]) is
    'Returns the text of a pg_snapshot in which every transaction with an id below `upto` is visible, except those '
    'listed in `writing`. A transaction with another id is visible if the parameter `snapshot` shows it.';
grant execute on function app.build_seen_snapshot(pg_snapshot, bigint, bigint[]) to taxclaims_definer;

-- app.next_changes returns audit records in the order of transaction ids, which is not the order of commits.
-- app.changes_after sorts the returned audit records by time, which is the true order of the changes of one record.
--
-- A read examines only index entries of transactions that the position does not show and that have ended: first the
-- transactions that were running at the position, then the ranges of ids between the transactions that are running now.
-- So neither a made-up position nor another session's long transaction makes a read longer than its limit. The `set`
-- clauses force a cached plan that uses the index on audit_logs.writer: Postgres's statistics of the current month are
-- too old for Postgres to choose this plan.
create or replace function app.next_changes(after text, most bigint)
    returns table (
        resource text, id uuid, client_id uuid, kind text, at timestamp with time zone, internal boolean, writer xid8,
        place text, more boolean
    )
    language plpgsql stable set search_path = ''
    set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set enable_bitmapscan = off
as $function$
declare
    -- A reader's position contains at most twice this number of transaction ids, and src/resources/changes.ts refuses
    -- a position with more.
    max_listed constant integer := 50;
    server_start constant text := app.server_start();
    position_parts constant text[] := pg_catalog.string_to_array(next_changes.after, '.');
    current_snapshot constant pg_snapshot := pg_catalog.pg_current_snapshot();
    upto bigint := pg_catalog.pg_snapshot_xmax(current_snapshot)::text::bigint;
    writing bigint[] := array(
        select x.id::text::bigint from pg_catalog.pg_snapshot_xip(current_snapshot) as x (id) order by 1
    );
    read_at bigint := extract(epoch from pg_catalog.statement_timestamp()) * 1000000;
    seen_snapshot pg_snapshot;
    seen_until timestamp with time zone;
    partial_transaction xid8;
    last_record_at timestamp with time zone;
    last_record_id uuid;
    first_records record;
    transactions record;
    record_count bigint := 0;
    audit_record record;
begin
    -- On a standby server, a pg_snapshot does not list the running transactions.
    if pg_catalog.pg_is_in_recovery() then
        raise exception 'a standby cannot list changes' using errcode = 'read_only_sql_transaction';
    end if;
    if pg_catalog.cardinality(writing) > max_listed then
        upto := writing[max_listed + 1];
        writing := writing[:max_listed];
    end if;
    if position_parts is null then
        place := pg_catalog.concat_ws(
            '.', server_start, read_at, app.build_seen_snapshot('1:1:', upto, writing)
        );
        more := false;
        return next;
        return;
    end if;

    seen_snapshot := position_parts[3]::pg_snapshot;
    seen_until := 'epoch'::timestamp with time zone + position_parts[2]::bigint * interval '1 microsecond';
    if position_parts[4] is not null then
        partial_transaction := position_parts[4]::xid8;
        last_record_at := 'epoch'::timestamp with time zone + position_parts[5]::bigint * interval '1 microsecond';
        last_record_id := position_parts[6]::uuid;
    end if;
    if seen_until > pg_catalog.statement_timestamp() + interval '1 hour'
        or position_parts[1] = server_start and (
            pg_catalog.pg_snapshot_xmax(seen_snapshot) > pg_catalog.pg_snapshot_xmax(current_snapshot)
            or not coalesce(pg_catalog.pg_visible_in_snapshot(partial_transaction, current_snapshot), true)
        )
    then
        raise exception 'no read of changes has reached this position yet' using errcode = 'TX400';
    end if;
    if seen_until < pg_catalog.statement_timestamp() - interval '1 day' and seen_until < app.find_audit_log_start() then
        raise exception 'the position is older than the audit log' using errcode = 'TX410';
    end if;
    if position_parts[1] <> server_start then
        partial_transaction := null;
        -- After a failover, the clock of the new database server may differ from the old server's, so the query starts
        -- one minute before the time of the reader's last read. A transaction may take its id long before it writes its
        -- first record, so the read starts `most` ids before the first ones.
        select
            pg_catalog.min(a.writer::text::bigint) - next_changes.most as first_id,
            pg_catalog.count(*) as examined, pg_catalog.max(a.created_at) as reached
        into first_records
        from (
            select a.writer, a.created_at
            from public.audit_logs as a
            where a.created_at > seen_until - interval '1 minute'
            order by a.created_at
            limit next_changes.most
        ) as a;
        if first_records.first_id is null and first_records.examined = next_changes.most then
            -- The first `most` records are of refused requests: the next read begins behind them.
            place := pg_catalog.concat_ws(
                '.',
                position_parts[1],
                (extract(epoch from first_records.reached + interval '1 minute') * 1000000)::bigint,
                position_parts[3]
            );
            more := true;
            return next;
            return;
        end if;
        seen_snapshot := pg_catalog.format('%1$s:%1$s:', greatest(1, least(
            pg_catalog.pg_snapshot_xmin(seen_snapshot)::text::bigint, first_records.first_id
        )))::pg_snapshot;
    end if;

    for transactions in
        select r.first_id::text::xid8 as first_id, r.last_id::text::xid8 as last_id
        from (
            select x.id::text::bigint as first_id, x.id::text::bigint as last_id
            from pg_catalog.pg_snapshot_xip(seen_snapshot) as x (id)
            where x.id::text::bigint < upto and x.id::text::bigint <> all (writing)
            union all
            select
                coalesce(pg_catalog.lag(w.id) over (order by w.id) + 1, pg_catalog.pg_snapshot_xmax(seen_snapshot)::text::bigint),
                w.id - 1
            from pg_catalog.unnest(
                array(
                    select w.id from pg_catalog.unnest(writing) as w (id)
                    where w.id >= pg_catalog.pg_snapshot_xmax(seen_snapshot)::text::bigint
                )
                || upto
            ) as w (id)
        ) as r
        where partial_transaction is null and r.first_id <= r.last_id
        union all
        select partial_transaction, partial_transaction
        where partial_transaction is not null
        order by first_id
    loop
        for audit_record in
            (
                select a.writer, a.created_at, a.id, a.resource_type, a.resource_id, a.client_context, a.kind, a.internal
                from public.audit_logs as a
                where partial_transaction is null
                    and a.writer >= transactions.first_id
                    and a.writer <= transactions.last_id
                order by a.writer, a.created_at, a.id
                limit next_changes.most - record_count
            )
            union all
            (
                select a.writer, a.created_at, a.id, a.resource_type, a.resource_id, a.client_context, a.kind, a.internal
                from public.audit_logs as a
                where a.writer = partial_transaction
                    and a.created_at >= last_record_at
                    and (a.created_at > last_record_at or a.id > last_record_id)
                order by a.created_at, a.id
                limit next_changes.most
            )
        loop
            record_count := record_count + 1;
            resource := audit_record.resource_type;
            id := audit_record.resource_id;
            client_id := audit_record.client_context;
            kind := audit_record.kind;
            at := audit_record.created_at;
            internal := audit_record.internal;
            writer := audit_record.writer;
            return next;
        end loop;
        exit when record_count = next_changes.most;
    end loop;

    resource := null;
    more := record_count = next_changes.most or partial_transaction is not null;
    if record_count = next_changes.most then
        place := pg_catalog.concat_ws(
            '.',
            server_start,
            position_parts[2],
            case
                when partial_transaction is null then app.build_seen_snapshot(seen_snapshot, audit_record.writer::text::bigint, writing)
                else seen_snapshot::text
            end,
            audit_record.writer,
            (extract(epoch from audit_record.created_at) * 1000000)::bigint,
            audit_record.id
        );
    elsif partial_transaction is not null then
        place := pg_catalog.concat_ws(
            '.',
            server_start,
            position_parts[2],
            app.build_seen_snapshot(
                seen_snapshot,
                partial_transaction::text::bigint + 1,
                array(
                    select x.id::text::bigint from pg_catalog.pg_snapshot_xip(seen_snapshot) as x (id) where x.id <> partial_transaction
                )
            )
        );
    else
        place := pg_catalog.concat_ws('.', server_start, read_at, app.build_seen_snapshot(seen_snapshot, upto, writing));
    end if;
    return next;
end
$function$;

comment on function app.next_changes(text, bigint) is
    'Returns at most `most` audit records of all clients'' writes after a reader''s position; a last row has the next '
    'position. app.changes_after and app.changed_clients call app.next_changes.';
grant execute on function app.next_changes(text, bigint) to taxclaims_definer;
