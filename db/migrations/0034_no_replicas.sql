-- Requests are answered by the primary alone. The release before calls none of these unless DATABASE_REPLICA_URLS is set.
drop function if exists
    app.admit(text, timestamp with time zone, text, uuid),
    app.note_write(text),
    app.primary_position(),
    app.replica_position(uuid),
    app.require_replayed(uuid, pg_lsn);

drop table app.write_positions, app.present_epoch, app.primary_epochs;
