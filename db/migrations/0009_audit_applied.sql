-- What db:migrate applied last, fact by fact: audit.drift holds the database against it.
create table audit.applied (
    kind text not null,
    object text not null,
    definition text not null,
    primary key (kind, object)
);

alter table audit.applied enable row level security;
alter table audit.applied force row level security;

-- Refusals are looked up by themselves: the newest, whoever was refused.
create index audit_logs_refusals_idx on public.audit_logs (created_at desc, id desc) where not success;
