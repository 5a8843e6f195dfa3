comment on table public.users is
    'Users who log in through the identity provider, or whom an ADMIN created in advance. '
    'A user is never deleted: is_active false deactivates an account, and erased_at is set when the personal data is erased.';
comment on column public.users.id is
    'A random UUID, or the token''s subject if the identity provider uses UUIDs as subjects.';
comment on column public.users.email is
    'Email, unique without regard to case. The first person who logs in with this verified email becomes this user.';
comment on column public.users.password_hash is
    'Bcrypt hash of the password; ! if the table stores no password for the user. No function returns the hash.';
comment on column public.users.name is 'Display name.';
comment on column public.users.role is
    'Role of the user, such as ADMIN or CLIENT, as last set through the API or by a token.';
comment on column public.users.client_access is
    'Clients that the user has access to. '
    'With an empty list, an ADMIN has access to every client and other users to none. '
    'The list may contain deleted clients.';
comment on column public.users.is_active is
    'False if the account is deactivated. The service refuses the tokens of a deactivated account at once.';
comment on column public.users.subject is
    'Subject of the user at the identity provider; null until the first login. For an erased user, the column has a '
    'digest of the subject.';
comment on column public.users.access_changed_at is
    'Time at which the user''s rights last changed, by the identity provider''s clock. The service refuses a token '
    'issued before access_changed_at if the token''s rights are not the stored rights.';
comment on column public.users.access_digest is
    'MD5 of role and sorted client_access, which the database compares with the rights in a token. Computed.';
comment on column public.users.sessions_ended_at is
    'Time at which the password was last changed or the account last deactivated, by the identity provider''s clock. The '
    'service refuses tokens issued before sessions_ended_at. sessions_ended_at is null before the first such change.';
comment on column public.users.language is 'Language of mails to the user, fr or en. The user chooses the language.';
comment on column public.users.reminder_kinds is
    'Kinds of deadlines about which the user wants reminder mails; empty for no mails.';
comment on column public.users.reminders_only_mine is
    'True if the user wants reminders only of claims and tasks that are assigned to the user.';
comment on column public.users.calendar_digest is
    'SHA-256 of the secret in the address of the user''s calendar; null if the user has no such address. '
    'No database login can read the digest.';
comment on column public.users.erased_at is
    'Time at which name, email, subject, password and rights of the user were erased; the id stays. erased_at is null '
    'if the user is not erased.';
