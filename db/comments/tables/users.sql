comment on table public.users is
    'Users who log in through the identity provider, or were prepared by an ADMIN. Never deleted: is_active ends an '
    'account, and erased_at says that nothing else is left of it.';
comment on column public.users.id is 'A random UUID, or the subject if the identity provider''s subjects are UUIDs.';
comment on column public.users.email is
    'Email, unique whatever its capitals. The first login with this verified email becomes this user.';
comment on column public.users.password_hash is
    'Bcrypt hash of the password; ! for none. Only functions compare it, and none returns it.';
comment on column public.users.name is 'Name to show.';
comment on column public.users.role is
    'Role of the application, such as ADMIN or CLIENT, as last set here or by a token.';
comment on column public.users.client_access is
    'Clients of the user. Empty: none, or for an ADMIN all. It may list deleted clients.';
comment on column public.users.is_active is 'False for an ended account: its tokens are refused at once.';
comment on column public.users.subject is
    'Subject of the user at the identity provider; null until the first login. Of an erased user a digest of it.';
comment on column public.users.access_changed_at is
    'Older tokens are refused if they have other rights than this row. In the identity provider''s clock.';
comment on column public.users.access_digest is
    'MD5 of role and sorted client_access, to compare with a token. Computed.';
comment on column public.users.sessions_ended_at is
    'Tokens issued until then are refused: a new password, or an ended account. In the identity provider''s clock; '
    'null if never.';
comment on column public.users.language is 'Language of mails to the user: fr or en. The user chooses.';
comment on column public.users.reminder_kinds is
    'Kinds of deadlines that the user is reminded of by mail; empty for none. The user chooses.';
comment on column public.users.reminders_only_mine is
    'True if the user is reminded only of claims that they work on and of their own tasks. The user chooses.';
comment on column public.users.calendar_digest is
    'SHA-256 of the secret in the address of the user''s calendar; null for none. No login can read it.';
comment on column public.users.erased_at is
    'Time of the erasure: name, email, subject, password and rights are gone, the id stays. Null if not erased.';
