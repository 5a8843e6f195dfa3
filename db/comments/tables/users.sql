comment on table public.users is
    'People who log in through the identity provider, and those whom an ADMIN has prepared. Never deleted: is_active '
    'ends an account.';
comment on column public.users.id is 'A random UUID, or the subject where the identity provider makes UUIDs.';
comment on column public.users.email is
    'Unique whatever the case of its letters; the first login with it, verified, takes the row.';
comment on column public.users.password_hash is
    'The bcrypt hash of the password that an ADMIN or the user gave; ! where none was given, which no password matches. '
    'Only functions of the definer compare it, and give it to nobody.';
comment on column public.users.name is 'The name to show.';
comment on column public.users.role is
    'The role of the application, such as ADMIN or CLIENT, as last set here or said by a token.';
comment on column public.users.client_access is
    'The clients whose rows the user may touch. Empty means none, but every client for an ADMIN. An id may name a '
    'client that was deleted.';
comment on column public.users.is_active is
    'False for an account that was ended: its tokens are refused from the next request on.';
comment on column public.users.updated_at is 'When the user was last changed; it is also the version that an ETag names.';
comment on column public.users.subject is 'The name of the user at the identity provider; null until the first login.';
comment on column public.users.access_changed_at is
    'Tokens issued before this moment, by the identity provider''s clock, are refused where they say other rights than '
    'this row.';
comment on column public.users.access_digest is
    'MD5 of role and sorted client_access, by which a token is compared in one look; worked out.';
comment on column public.users.sessions_ended_at is
    'Tokens issued until this moment, by the identity provider''s clock, are refused, whatever they say: the password '
    'was changed, or the account ended. '
    'Null where that never was.';
