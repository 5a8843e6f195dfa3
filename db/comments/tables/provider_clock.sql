comment on table app.provider_clock is
    'One row: how far the identity provider''s clock is ahead of this server''s, as the service measures it. None before '
    'a release that measures it has started.';
comment on column app.provider_clock.ahead is
    'The most that the provider''s clock can be ahead; negative where it is behind, null until it was measured.';
comment on column app.provider_clock.measured_at is 'When, by this server''s clock; it counts for five minutes.';
comment on column app.provider_clock.server_started_at is
    'Which start of which server it was measured against: another one, as after a failover, has another clock.';
comment on column app.provider_clock.disproved_at is
    'When a token was issued later than this clock allows; for an hour after, the provider''s clock counts as unknown.';
comment on column app.provider_clock.disproved_since is
    'When the first token of such proofs in a row came: changes from before it may be dated too early.';
