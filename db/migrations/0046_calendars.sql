-- The secret address of a user's calendar, which a program reads without a token. The secret itself is in no row.
alter table public.users
    add column calendar_digest text
        constraint users_calendar_digest_form check (calendar_digest ~ '^[0-9a-f]{64}$');

create unique index users_calendar_digest_idx on public.users (calendar_digest) where calendar_digest is not null;
