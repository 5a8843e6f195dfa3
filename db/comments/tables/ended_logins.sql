comment on table app.ended_logins is
    'When all logins of a user ended at the embedded identity provider: by another password, or by being made inactive.';

comment on column app.ended_logins.user_id is 'The user.';
comment on column app.ended_logins.ended_at is 'A login of this moment or before is none.';
