comment on table app.provider_clock is
    'A table with one row, which says how far the identity provider''s clock is ahead of the database server''s clock. '
    'The first instance of the service that starts inserts this row.';
comment on column app.provider_clock.ahead is
    'How far the provider''s clock is ahead at most; negative if it is behind, null before the first measurement.';
comment on column app.provider_clock.measured_at is
    'Time of the measurement by the database server''s clock. The service uses the measurement for five minutes.';
comment on column app.provider_clock.server_started_at is
    'Start time of the database server whose clock was compared. '
    'After a failover or a restart the service ignores the measurement, because the start time differs.';
comment on column app.provider_clock.disproved_at is
    'Time at which the service last received a token that was dated in the future. '
    'For an hour after this time, the provider''s clock counts as unknown.';
comment on column app.provider_clock.disproved_since is
    'Time of the first token dated in the future, in a series with less than an hour between two such tokens. '
    'Dates of earlier changes of rights may be too early.';
