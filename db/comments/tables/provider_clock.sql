comment on table app.provider_clock is
    'A single row: how far the identity provider''s clock is ahead of this server''s clock. There is no row before '
    'the first measurement.';
comment on column app.provider_clock.ahead is
    'Largest possible lead of the provider''s clock; negative if the clock is behind, null before the first '
    'measurement.';
comment on column app.provider_clock.measured_at is
    'Time of the measurement by this server''s clock. The measurement is used for five minutes.';
comment on column app.provider_clock.server_started_at is
    'Start time of the server whose clock was compared. After a failover the measurement is not used.';
comment on column app.provider_clock.disproved_at is
    'Time at which the service last received a token that was issued in the future. The provider''s clock then '
    'counts as unknown for an hour.';
comment on column app.provider_clock.disproved_since is
    'Time of the first token issued in the future, in an unbroken series of such tokens. Earlier changes of '
    'rights may be dated too early.';
