-- What the service asks before it reads on a replica. The first three are for the primary, the others for a replica.

-- Who the caller is, as app.authenticate and app.unclaimed_id say it, and what a replica must have replayed to answer
-- them: the present epoch, null where there is none yet, and behind which position of the log the caller's writes are.
-- Every read of a replica costs the primary this: no setting of a request is read here, and none is made before it.
create or replace function app.admit(
    subject text,
    issued_at timestamp with time zone,
    access_digest text,
    caller_id uuid,
    out user_id uuid,
    out epoch uuid,
    out wrote_until pg_lsn
)
    language plpgsql
    stable
    security definer
    set search_path = ''
as $function$
begin
    user_id := coalesce(
        app.authenticate(admit.subject, admit.issued_at, admit.access_digest),
        app.unclaimed_id(admit.caller_id)
    );
    select
        (select p.epoch_id from app.present_epoch as p),
        coalesce((select w.position from app.write_positions as w where w.subject = admit.subject), '0/0')
    into epoch, wrote_until;
end
$function$;

comment on function app.admit(text, timestamp with time zone, text, uuid) is
    'The id of a caller, or TX401, and which epoch and position of the log a replica must have replayed to answer them.';

grant execute on function app.admit(text, timestamp with time zone, text, uuid) to taxclaims_api;

-- Called once a write of the caller is committed, before it is answered: a position from before the commit would be
-- behind it. A transaction of its own, so that two writes of one caller wait for each other no longer than it lasts.
create or replace function app.note_write(subject text)
    returns void
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
begin
    insert into app.write_positions as w (subject, position)
    values (note_write.subject, pg_catalog.pg_current_wal_insert_lsn())
    on conflict on constraint write_positions_pkey do update
    set position = greatest(w.position, excluded.position);
end
$function$;

comment on function app.note_write(text) is
    'Notes that the caller has written up to here: what a replica must have replayed before it answers them.';

grant execute on function app.note_write(text) to taxclaims_api;

-- The present epoch of this primary and how far its log is on disk. Where there is no epoch, or one that came with a
-- copy of the database, it begins one: whoever has it has all that was committed before.
create or replace function app.primary_position()
    returns table (
        epoch uuid,
        flushed pg_lsn
    )
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
declare
    cluster constant bigint := (select s.system_identifier from pg_catalog.pg_control_system() as s);
    present constant oid := (
        select d.oid from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database()
    );
begin
    epoch := (
        select e.id
        from app.present_epoch as p
        join app.primary_epochs as e on e.id = p.epoch_id
        where e.system_identifier = cluster and e.database_oid = present
    );
    if epoch is null then
        epoch := pg_catalog.gen_random_uuid();
        -- Before the epoch, which is behind all that they say.
        delete from app.write_positions;
        insert into app.primary_epochs (id, system_identifier, database_oid)
        values (epoch, cluster, present);
        insert into app.present_epoch (epoch_id)
        values (epoch)
        on conflict (is_only) do update
        set epoch_id = excluded.epoch_id;
    end if;
    flushed := pg_catalog.pg_current_wal_flush_lsn();
    return next;
end
$function$;

comment on function app.primary_position() is
    'The epoch of this primary, which is begun where there is none, and how far its log is on disk.';

grant execute on function app.primary_position() to taxclaims_api;

-- Whether this server still replays what a primary writes, whether it has that epoch, and how far it is.
create or replace function app.replica_position(
    epoch uuid,
    out in_recovery boolean,
    out has_epoch boolean,
    out replayed pg_lsn
)
    language plpgsql
    stable
    security definer
    set search_path = ''
as $function$
begin
    in_recovery := pg_catalog.pg_is_in_recovery();
    has_epoch := exists (
        select
        from app.primary_epochs as e
        join pg_catalog.pg_database as d on d.oid = e.database_oid
        where e.id = replica_position.epoch and d.datname = pg_catalog.current_database()
    );
    replayed := coalesce(pg_catalog.pg_last_wal_replay_lsn(), '0/0');
end
$function$;

comment on function app.replica_position(uuid) is
    'Whether this server is in recovery, whether it follows that epoch of a primary, and how far it has replayed.';

grant execute on function app.replica_position(uuid) to taxclaims_api;

-- TX425 where this server is no replica of that epoch, or has not yet replayed so far: before anything is read. Else how
-- far it has: what a later statement sees is that, or newer.
drop function if exists app.require_replayed(uuid, pg_lsn);

create function app.require_replayed(epoch uuid, until pg_lsn)
    returns pg_lsn
    language plpgsql
    stable
    security definer
    set search_path = ''
as $function$
declare
    present record;
begin
    present := app.replica_position(require_replayed.epoch);
    if not (present.in_recovery and present.has_epoch and present.replayed >= require_replayed.until) then
        raise exception 'this server has not replayed what the caller wrote' using errcode = 'TX425';
    end if;
    return present.replayed;
end
$function$;

comment on function app.require_replayed(uuid, pg_lsn) is
    'How far this server has replayed; refuses (TX425) where it is no replica of that epoch, or not that far yet.';

grant execute on function app.require_replayed(uuid, pg_lsn) to taxclaims_api;
