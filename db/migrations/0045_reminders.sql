-- What a user is reminded of by mail, and in which language.
alter table public.users
    add column language text not null default 'fr',
    add column reminder_kinds text[] not null default '{claim,response,court,task,invoice,partner_invoice}',
    add column reminders_only_mine boolean not null default false,
    add constraint users_language_known check (language in ('fr', 'en')),
    add constraint users_reminder_kinds_known check (
        reminder_kinds <@ '{claim,response,court,task,invoice,partner_invoice}'::text[]
        and pg_catalog.array_position(reminder_kinds, null) is null
    );

-- The mails of the present day that are yet to be sent, and what became of those before: one for each user and day.
create table app.reminders (
    user_id uuid not null references public.users (id) on delete cascade,
    day date not null,
    told_until date not null,
    state text not null default 'WAITING',
    waits_since timestamp with time zone not null,
    attempts integer not null default 0,
    last_error text,
    next_attempt_at timestamp with time zone not null default pg_catalog.clock_timestamp(),
    claim uuid,
    claimed_until timestamp with time zone,
    handed_over_at timestamp with time zone,
    cut_off integer not null default 0,
    ended_at timestamp with time zone,
    primary key (user_id, day),
    constraint reminders_state_known check (state in ('WAITING', 'SENT', 'NOTHING_DUE', 'GIVEN_UP')),
    constraint reminders_told_before check (told_until < day),
    constraint reminders_error_length check (pg_catalog.length(last_error) between 1 and 500),
    constraint reminders_claim_whole check ((claim is null) = (claimed_until is null)),
    constraint reminders_end_whole check ((state = 'WAITING') = (ended_at is null))
);

create index reminders_waiting_idx on app.reminders (next_attempt_at) where state = 'WAITING';
create index reminders_waits_since_idx on app.reminders (waits_since) where state = 'WAITING';
create index reminders_day_idx on app.reminders (day);

alter table app.reminders enable row level security;
alter table app.reminders force row level security;
