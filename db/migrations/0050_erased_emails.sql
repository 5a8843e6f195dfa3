-- The addresses of erased users belong to nobody else: a user with the address of another user's erasure would prevent it.
alter table public.users no force row level security;
alter table public.users disable trigger user;
set local row_security = off;

update public.users as u
set email = u.id::text || '@taken.invalid'
where u.erased_at is null and pg_catalog.lower(u.email collate "C") like '%@erased.invalid';

set local row_security = on;
alter table public.users enable trigger user;
alter table public.users force row level security;

alter table public.users add constraint users_email_not_erased check (
    erased_at is not null or pg_catalog.lower(email collate "C") not like '%@erased.invalid'
);
