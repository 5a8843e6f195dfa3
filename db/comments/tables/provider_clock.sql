comment on table app.provider_clock is
    'A table with one row, which says how far the identity provider''s clock is ahead of the database server''s clock. '
    'The first service instance that starts inserts the row.';
comment on column app.provider_clock.ahead is
    'How far the provider''s clock is ahead of the database server''s at most; negative if behind, null before the '
    'first measurement.';
comment on column app.provider_clock.measured_at is
    'Time at which the service compared the clocks, by the database server''s clock. The result is valid for 5 '
    'minutes.';
comment on column app.provider_clock.server_started_at is
    'Start time of the database server whose clock was compared with the provider''s. After a failover or a restart '
    'the start time differs, so the service ignores the result.';
comment on column app.provider_clock.disproved_at is
    'Time at which the service last received a token that was dated in the future. For an hour after disproved_at, the '
    'provider''s clock counts as unknown.';
comment on column app.provider_clock.disproved_since is
    'Time of the first token dated in the future, in a series with less than an hour between two such tokens. Changes '
    'of rights before disproved_since may have too early a date.';
