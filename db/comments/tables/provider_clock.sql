comment on table app.provider_clock is
    'The only row of the table says how far the identity provider''s clock is ahead of the database server''s clock. '
    'The first service instance that starts inserts this row.';
comment on column app.provider_clock.ahead is
    'Longest time by which the identity provider''s clock can be ahead of the database server''s clock; negative if it '
    'is behind, null before the first measurement.';
comment on column app.provider_clock.measured_at is
    'Time, by the database server''s clock, at which the service measured the identity provider''s clock. A '
    'measurement is valid for 5 minutes.';
comment on column app.provider_clock.server_started_at is
    'Start time of the database server at the measurement of the provider''s clock. app.provider_time ignores a '
    'measurement that is older than the last start of the server.';
comment on column app.provider_clock.disproved_at is
    'Time at which the service last received a token that was dated in the future. For an hour after disproved_at, '
    'app.provider_time uses no measurement of the provider''s clock.';
comment on column app.provider_clock.disproved_since is
    'Time at which a series of tokens dated in the future began. A series ends when no such token came for an hour. '
    'Changes of rights made before disproved_since may be dated too early.';
