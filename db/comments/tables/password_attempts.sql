comment on table app.password_attempts is
    'Attempts of users to change their password in the last hour, at most ten per user. When a user''s password '
    'changes, the user''s row in this table is deleted.';
comment on column app.password_attempts.user_id is 'User who tried to change the password.';
comment on column app.password_attempts.attempted_at is
    'Times of the user''s attempts to change the password in the last hour, at most ten, oldest first.';
