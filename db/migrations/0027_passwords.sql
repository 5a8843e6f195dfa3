-- A change of a password ends the sessions of its user: tokens issued until then are refused. Null where none was ended.
alter table public.users add column sessions_ended_at timestamp with time zone;

-- When a user last said the present password, to change it: whoever has somebody's token must not find it by trying.
create table app.password_attempts (
    user_id uuid primary key references public.users (id) on delete cascade,
    attempted_at timestamp with time zone[] not null,
    constraint password_attempts_bounded check (pg_catalog.cardinality(attempted_at) between 1 and 10)
);

alter table app.password_attempts enable row level security;
alter table app.password_attempts force row level security;

-- One spelling of a subject: printable ASCII without blanks at its ends, as OpenID Connect has it, and a UUID in lower
-- case. A stored one of another spelling is in no token that is accepted from now on: the user waits to be found by email.
alter table public.users no force row level security;
-- The triggers of the release before run as other roles, whom the next line would have refused; none is needed here.
alter table public.users disable trigger user;
set local row_security = off;

update public.users
set subject = null
where subject collate "C" !~ '^[!-~]([ -~]*[!-~])?$'
    or (subject ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' and subject <> pg_catalog.lower(subject collate "C"));

set local row_security = on;
alter table public.users enable trigger user;
alter table public.users force row level security;

alter table public.users add constraint users_subject_form check (
    subject collate "C" ~ '^[!-~]([ -~]*[!-~])?$'
    and (
        subject !~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
        or subject = pg_catalog.lower(subject collate "C")
    )
);

-- One email, whatever the case of its letters and the language of the database: in Turkish lower('I') is another letter.
drop index public.users_email_key;
create unique index users_email_key on public.users (pg_catalog.lower(email collate "C"));
