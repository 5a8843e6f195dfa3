comment on table app.provider_clock is
    'One row: how far the provider''s clock is ahead of this server''s. None before the first measurement.';
comment on column app.provider_clock.ahead is
    'Largest possible lead of the provider''s clock; negative if it is behind, null before the first measurement.';
comment on column app.provider_clock.measured_at is
    'Time of the measurement by this server''s clock. It counts for five minutes.';
comment on column app.provider_clock.server_started_at is
    'Start time of the server that the clock was compared with. After a failover the measurement does not count.';
comment on column app.provider_clock.disproved_at is
    'Time of a token from the future: the provider''s clock counts as unknown for an hour.';
comment on column app.provider_clock.disproved_since is
    'Time of the first such token in a row: earlier changes may be dated too early.';
