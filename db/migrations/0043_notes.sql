-- Notes on a claim. One with a day is a task, until it is done.
create table public.notes (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    client_id uuid not null,
    reclamation_id uuid not null,
    -- No key: a token may be of nobody who is stored, and a note outlives its author.
    author_id uuid not null,
    text text not null,
    internal boolean not null default true,
    due_on date,
    -- Deferred, so that the trigger that asks for more than a user is heard first.
    assignee_id uuid
        constraint notes_assignee_id_fkey references public.users (id)
            on delete set null
            deferrable initially deferred,
    done_at timestamp with time zone,
    created_at timestamp with time zone not null default pg_catalog.now(),
    updated_at timestamp with time zone not null default pg_catalog.now(),
    -- The pair keeps a note with the client of its claim.
    constraint notes_reclamation_of_client foreign key (reclamation_id, client_id)
        references public.reclamations (id, client_id) on delete cascade,
    constraint notes_text_bounded check (pg_catalog.btrim(text) <> '' and pg_catalog.length(text) <= 10000),
    constraint notes_due_on_range check (due_on between '1900-01-01' and '2200-12-31'),
    constraint notes_task_has_day check (due_on is not null or (assignee_id is null and done_at is null))
);

create index notes_reclamation_id_idx on public.notes (reclamation_id, created_at desc, id desc);

-- Of tasks alone: no list has the notes of several claims.
create index notes_client_id_idx on public.notes (client_id, created_at desc, id desc) where due_on is not null;
create index notes_created_at_idx on public.notes (created_at desc, id desc) where due_on is not null;
create index notes_assignee_id_idx on public.notes (assignee_id, created_at desc, id desc) where assignee_id is not null;
create index notes_due_on_idx on public.notes (client_id, due_on) where due_on is not null and done_at is null;

alter table public.notes enable row level security;
alter table public.notes force row level security;
