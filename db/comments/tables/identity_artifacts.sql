comment on table app.identity_artifacts is
    'Who is logged in at the embedded identity provider, and what was given to whom. A row may be deleted: whoever it is '
    'about has to log in again. Reached through functions alone.';

comment on column app.identity_artifacts.kind is 'What it is in the words of the library: Session, Grant, RefreshToken, …';
comment on column app.identity_artifacts.id_digest is
    'HMAC-SHA-256 of its id, in hex, with a key that is not in the database; the id itself is in no row.';
comment on column app.identity_artifacts.payload is 'What the library keeps, without the id; readable by no login.';
comment on column app.identity_artifacts.account is
    'Whose it is, as the subject of their tokens says it; null before anybody has logged in.';
comment on column app.identity_artifacts.grant_id is 'The grant that it belongs to, which is taken back as a whole.';
comment on column app.identity_artifacts.uid is 'Of a session: its name in what was given during it.';
comment on column app.identity_artifacts.expires_at is 'When it is of no use any more; it is removed soon after.';
comment on column app.identity_artifacts.consumed_at is 'When it was used, of what may be used once; null before.';
