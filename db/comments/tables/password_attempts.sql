comment on table app.password_attempts is
    'When users last said their present password to change it, which they may do ten times an hour. No row for who '
    'has not since their password was last changed.';
comment on column app.password_attempts.user_id is 'The user.';
comment on column app.password_attempts.attempted_at is 'The attempts of the last hour, at most ten, the oldest first.';
