comment on table public.users is
    'Users who log in through the identity provider, or whom an ADMIN created in advance. Users are never deleted: '
    'is_active ends an account, and erased_at is set when the personal data is erased.';
comment on column public.users.id is
    'A random UUID, or the token''s subject if the identity provider uses UUIDs as subjects.';
comment on column public.users.email is
    'Email, unique without regard to case. The first login with this verified email becomes this user.';
comment on column public.users.password_hash is
    'Bcrypt hash of the password; ! if the user has no password here. No function returns the hash.';
comment on column public.users.name is 'Display name.';
comment on column public.users.role is 'Role of the user, such as ADMIN or CLIENT, as last set here or by a token.';
comment on column public.users.client_access is
    'Clients that the user has access to. Empty: no client, or every client for an ADMIN. The list may contain '
    'deleted clients.';
comment on column public.users.is_active is
    'False if the account is ended. The tokens of an ended account are refused at once.';
comment on column public.users.subject is
    'Subject of the user at the identity provider; null until the first login. For an erased user, a digest of the '
    'subject.';
comment on column public.users.access_changed_at is
    'Time of the last change of rights, by the identity provider''s clock. Older tokens are refused if their rights '
    'differ from this row.';
comment on column public.users.access_digest is
    'MD5 of role and sorted client_access, which the database compares with the rights in a token. Computed.';
comment on column public.users.sessions_ended_at is
    'Time, by the identity provider''s clock, until which issued tokens are refused, because of a new password or an '
    'ended account. Null if sessions were never ended.';
comment on column public.users.language is 'Language of mails to the user: fr or en. Chosen by the user.';
comment on column public.users.reminder_kinds is
    'Kinds of deadlines of which the user wants reminders by mail; empty for none. Chosen by the user.';
comment on column public.users.reminders_only_mine is
    'True if the user wants reminders only of claims assigned to them and of their own tasks. Chosen by the user.';
comment on column public.users.calendar_digest is
    'SHA-256 of the secret in the address of the user''s calendar; null if there is none. No login can read the '
    'digest.';
comment on column public.users.erased_at is
    'Time of the erasure: name, email, subject, password and rights are removed, and the id stays. Null if the user '
    'is not erased.';
