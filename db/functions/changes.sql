-- How far a reader of changes has come, as text: the start of the server, the time of the last read and its snapshot,
-- with dots between. If that read ended within a transaction, the transaction's id and the time and id of the last
-- record that was read follow. docs/decisions/changes-told.md

create or replace function app.server_start()
    returns text
    language sql stable set search_path = ''
begin atomic
    select pg_catalog.to_hex(
        pg_catalog.hashtextextended(
            pg_catalog.concat_ws(
                ' ',
                extract(epoch from pg_catalog.pg_postmaster_start_time()),
                -- Reset after a crash of one backend, which the postmaster survives.
                extract(epoch from s.stats_reset)
            ),
            0
        )
    )
    from pg_catalog.pg_stat_bgwriter as s;
end;

comment on function app.server_start() is
    'Which start of the server this is: transaction ids from before a crash or a failover may be given again.';
grant execute on function app.server_start() to taxclaims_definer;

-- Makes one snapshot of two. Of the transactions below `upto`, those in `writing` were still under way; of the
-- others the snapshot says it.
create or replace function app.seen_up_to(snapshot pg_snapshot, upto bigint, writing bigint[])
    returns text
    language sql stable set search_path = ''
begin atomic
    select pg_catalog.concat(
        coalesce(u.ids[1], u.next), ':', u.next, ':', pg_catalog.array_to_string(u.ids, ',')
    )
    from (
        select
            greatest(pg_catalog.pg_snapshot_xmax(seen_up_to.snapshot)::text::bigint, seen_up_to.upto) as next,
            array(
                select x.id::text::bigint
                from pg_catalog.pg_snapshot_xip(seen_up_to.snapshot) as x (id)
                where x.id::text::bigint >= seen_up_to.upto
                union
                select w.id from pg_catalog.unnest(seen_up_to.writing) as w (id) where w.id < seen_up_to.upto
                order by 1
            ) as ids
    ) as u;
end;

comment on function app.seen_up_to(pg_snapshot, bigint, bigint[]) is
    'Text of a snapshot that has seen what another has, and everything below upto but writing.';
grant execute on function app.seen_up_to(pg_snapshot, bigint, bigint[]) to taxclaims_definer;

-- Reads the next `most` records of the audit log, of every client; the last row is the place after them. They come by
-- transaction id, and transactions may commit in another order. The caller sorts them by time, which is the true order of
-- the changes of one record.
-- The plan is made once and uses the index: statistics of the current month are always too old, and 200 readers ask at
-- once.
create or replace function app.next_changes(after text, most bigint)
    returns table (
        resource text, id uuid, client_id uuid, kind text, at timestamp with time zone, internal boolean, writer xid8,
        place text, more boolean
    )
    language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off
as $function$
declare
    -- A place has at most twice as many transaction ids.
    longest constant integer := 50;
    start constant text := app.server_start();
    said constant text[] := pg_catalog.string_to_array(next_changes.after, '.');
    present constant pg_snapshot := pg_catalog.pg_current_snapshot();
    upto bigint := pg_catalog.pg_snapshot_xmax(present)::text::bigint;
    writing bigint[] := array(
        select x.id::text::bigint from pg_catalog.pg_snapshot_xip(present) as x (id) order by 1
    );
    bound xid8;
    read_at bigint := extract(epoch from pg_catalog.statement_timestamp()) * 1000000;
    seen pg_snapshot;
    seen_at timestamp with time zone;
    given xid8;
    given_at timestamp with time zone;
    given_id uuid;
    taken bigint := 0;
    one record;
begin
    -- There snapshots do not name who writes.
    if pg_catalog.pg_is_in_recovery() then
        raise exception 'a standby tells no changes' using errcode = 'read_only_sql_transaction';
    end if;
    if pg_catalog.cardinality(writing) > longest then
        upto := writing[longest + 1];
        writing := writing[:longest];
        bound := upto::text::xid8;
    end if;
    if said is null then
        place := pg_catalog.concat_ws(
            '.', start, read_at, app.seen_up_to('1:1:', upto, writing)
        );
        more := false;
        return next;
        return;
    end if;

    seen := said[3]::pg_snapshot;
    seen_at := 'epoch'::timestamp with time zone + said[2]::bigint * interval '1 microsecond';
    if seen_at < pg_catalog.statement_timestamp() - interval '1 day' and seen_at < app.audit_log_begins() then
        raise exception 'the place is older than the audit log' using errcode = 'TX410';
    end if;
    if said[1] <> start then
        -- A minute, since another server may have another clock.
        select pg_catalog.format('%1$s:%1$s:', least(
            pg_catalog.pg_snapshot_xmin(seen)::text::bigint,
            pg_catalog.min(a.writer::text::bigint)
        ))::pg_snapshot
        into seen
        from public.audit_logs as a
        where a.created_at > seen_at - interval '1 minute' and a.writer is not null;
    elsif said[4] is not null then
        given := said[4]::xid8;
        given_at := 'epoch'::timestamp with time zone + said[5]::bigint * interval '1 microsecond';
        given_id := said[6]::uuid;
    end if;

    for one in
        (
            select a.writer, a.created_at, a.id, a.resource_type, a.resource_id, a.client_context, a.kind,
                a.internal
            from public.audit_logs as a
            where given is null
                and a.writer >= pg_catalog.pg_snapshot_xmin(seen)
                and not pg_catalog.pg_visible_in_snapshot(a.writer, seen)
                and (bound is null or a.writer < bound)
            order by a.writer, a.created_at, a.id
            limit next_changes.most
        )
        union all
        (
            select a.writer, a.created_at, a.id, a.resource_type, a.resource_id, a.client_context, a.kind,
                a.internal
            from public.audit_logs as a
            where a.writer = given
                and a.created_at >= given_at
                and (a.created_at > given_at or a.id > given_id)
            order by a.created_at, a.id
            limit next_changes.most
        )
    loop
        taken := taken + 1;
        resource := one.resource_type;
        id := one.resource_id;
        client_id := one.client_context;
        kind := one.kind;
        at := one.created_at;
        internal := one.internal;
        writer := one.writer;
        return next;
    end loop;

    resource := null;
    more := taken = next_changes.most or given is not null;
    if taken = next_changes.most then
        place := pg_catalog.concat_ws(
            '.',
            start,
            said[2],
            case
                when given is null then app.seen_up_to(seen, one.writer::text::bigint, writing)
                else seen::text
            end,
            one.writer,
            (extract(epoch from one.created_at) * 1000000)::bigint,
            one.id
        );
    elsif given is not null then
        place := pg_catalog.concat_ws(
            '.',
            start,
            said[2],
            app.seen_up_to(
                seen,
                given::text::bigint + 1,
                array(
                    select x.id::text::bigint from pg_catalog.pg_snapshot_xip(seen) as x (id) where x.id <> given
                )
            )
        );
    else
        place := pg_catalog.concat_ws('.', start, read_at, app.seen_up_to(seen, upto, writing));
    end if;
    return next;
end
$function$;

comment on function app.next_changes(text, bigint) is
    'Writes that a place had not seen, of everybody, then the next place. For app.changes_after and app.changed_clients.';
grant execute on function app.next_changes(text, bigint) to taxclaims_definer;
