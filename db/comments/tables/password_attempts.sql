comment on table app.password_attempts is
    'Attempts of users to change their password in the last hour, at most ten per user. A new password deletes the '
    'user''s row.';
comment on column app.password_attempts.user_id is 'The user.';
comment on column app.password_attempts.attempted_at is
    'Times of the attempts of the last hour, at most ten, the oldest first.';
