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
