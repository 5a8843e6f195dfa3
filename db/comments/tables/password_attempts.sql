comment on table app.password_attempts is
    'Recent attempts of users to change their password, at most ten an hour. No row without attempts since the last '
    'new password.';
comment on column app.password_attempts.user_id is 'The user.';
comment on column app.password_attempts.attempted_at is
    'Times of the last hour''s attempts, at most ten, the oldest first.';
