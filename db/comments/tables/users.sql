comment on table public.users is
    'Users who log in through the identity provider, or were prepared by an ADMIN. Never deleted: is_active ends an '
    'account.';
comment on column public.users.id is 'A random UUID, or the subject if the identity provider''s subjects are UUIDs.';
comment on column public.users.email is
    'Email, unique in any case of letters. The first login with this verified email gets the row.';
comment on column public.users.password_hash is
    'Bcrypt hash of the password; ! for none. Only functions compare it, and none returns it.';
comment on column public.users.name is 'Name to show.';
comment on column public.users.role is
    'Role of the application, such as ADMIN or CLIENT, as last set here or by a token.';
comment on column public.users.client_access is
    'Clients of the user. Empty: none, or for an ADMIN all. It may list deleted clients.';
comment on column public.users.is_active is 'False for an ended account: its tokens are refused at once.';
comment on column public.users.subject is 'Subject of the user at the identity provider; null until the first login.';
comment on column public.users.access_changed_at is
    'Older tokens are refused if they have other rights than this row. In the identity provider''s clock.';
comment on column public.users.access_digest is
    'MD5 of role and sorted client_access, to compare with a token. Computed.';
comment on column public.users.sessions_ended_at is
    'Tokens issued until then are refused: a new password, or an ended account. In the identity provider''s clock; '
    'null if never.';
