-- The audit log by month: public.audit_logs is what everybody names, audit_log.months below it is what the months hang
-- on, so that the role that makes them owns nothing else. Nobody but the owner may as much as name what is in the schema.
create schema audit_log;

alter table public.audit_logs rename to earlier;
alter table public.earlier set schema audit_log;
-- A record outlives its user as it outlives its client, and a month is made without a lock on the users.
alter table audit_log.earlier drop constraint audit_logs_user_id_fkey;

alter index audit_log.audit_logs_pkey rename to earlier_pkey;
alter index audit_log.audit_logs_created_at_idx rename to earlier_created_at_idx;
alter index audit_log.audit_logs_client_context_idx rename to earlier_client_context_idx;
alter index audit_log.audit_logs_user_id_idx rename to earlier_user_id_idx;
alter index audit_log.audit_logs_actor_idx rename to earlier_actor_idx;
alter index audit_log.audit_logs_action_idx rename to earlier_action_idx;
alter index audit_log.audit_logs_resource_type_idx rename to earlier_resource_type_idx;
alter index audit_log.audit_logs_resource_id_idx rename to earlier_resource_id_idx;
alter index audit_log.audit_logs_refusals_idx rename to earlier_refusals_idx;

-- Without a key of its own: that would have to hold the time as well, and say less. Each part has its key, the id.
create table public.audit_logs (like audit_log.earlier including defaults) partition by range (created_at);
create table audit_log.months (like audit_log.earlier including defaults) partition by range (created_at);
create table audit_log.later (like audit_log.earlier including defaults, constraint later_pkey primary key (id));

do $indexes$
declare
    part text;
begin
    foreach part in array array['public.audit_logs', 'audit_log.months', 'audit_log.later']
    loop
        execute pg_catalog.format(
            'create index %2$s_created_at_idx on %1$s (created_at desc);
            create index %2$s_client_context_idx on %1$s (client_context, created_at desc, id desc);
            create index %2$s_user_id_idx on %1$s (user_id, created_at desc);
            create index %2$s_actor_idx on %1$s (actor, created_at desc);
            create index %2$s_action_idx on %1$s (action, created_at desc);
            create index %2$s_resource_type_idx on %1$s (resource_type, created_at desc);
            create index %2$s_resource_id_idx on %1$s (resource_id, created_at desc);
            create index %2$s_refusals_idx on %1$s (created_at desc) where not success;
            alter table %1$s enable row level security;
            alter table %1$s force row level security',
            part,
            pg_catalog.split_part(part, '.', 2)
        );
    end loop;
end
$indexes$;

-- The release before goes on serving until its rights are made anew: what it may do with the log it may do with this one.
do $rights$
declare
    command text;
begin
    for command in
        select pg_catalog.format(
            'create policy %I on public.audit_logs as %s for %s to %s%s%s',
            p.policyname,
            p.permissive,
            p.cmd,
            pg_catalog.array_to_string(p.roles, ', '),
            ' using (' || p.qual || ')',
            ' with check (' || p.with_check || ')'
        )
        from pg_catalog.pg_policies as p
        where p.schemaname = 'audit_log' and p.tablename = 'earlier'
        union all
        select pg_catalog.format(
            'grant %s (%I) on public.audit_logs to %s',
            x.privilege_type,
            a.attname,
            x.grantee::regrole
        )
        from pg_catalog.pg_attribute as a
        cross join lateral pg_catalog.aclexplode(a.attacl) as x
        where a.attrelid = 'audit_log.earlier'::regclass
        union all
        select pg_catalog.replace(pg_catalog.pg_get_triggerdef(t.oid), ' ON audit_log.earlier ', ' ON public.audit_logs ')
        from pg_catalog.pg_trigger as t
        where t.tgrelid = 'audit_log.earlier'::regclass and not t.tgisinternal
    loop
        execute command;
    end loop;
end
$rights$;

-- And what was the table is closed by itself from here on, as each part will be.
do $closed$
declare
    command text;
begin
    for command in
        select pg_catalog.format('drop policy %I on audit_log.earlier', p.polname)
        from pg_catalog.pg_policy as p
        where p.polrelid = 'audit_log.earlier'::regclass
        union all
        select distinct pg_catalog.format('revoke all on audit_log.earlier from %s', x.grantee::regrole)
        from pg_catalog.pg_attribute as a
        cross join lateral pg_catalog.aclexplode(a.attacl) as x
        where a.attrelid = 'audit_log.earlier'::regclass
    loop
        execute command;
    end loop;
end
$closed$;

alter table public.audit_logs attach partition audit_log.months for values from (minvalue) to (maxvalue);

-- What was and what comes meet where the first month begins: between minvalue and maxvalue is no gap, and so nothing that
-- a default part would have to take. In known order, a list by time ends with the first part that has enough.
do $earlier$
declare
    bound constant text := (
        select pg_catalog.substring(pg_catalog.pg_get_constraintdef(c.oid), '''([^'']+)''')
        from pg_catalog.pg_constraint as c
        where c.conrelid = 'audit_log.earlier'::regclass and c.conname = 'audit_logs_earlier'
    );
begin
    -- The constraint says what this would look for in every record.
    execute pg_catalog.format(
        'alter table audit_log.months attach partition audit_log.earlier for values from (minvalue) to (%L)',
        bound
    );
    execute pg_catalog.format(
        'alter table audit_log.months attach partition audit_log.later for values from (%L) to (maxvalue)',
        bound
    );
end
$earlier$;

alter table audit_log.earlier drop constraint audit_logs_earlier;

-- The key of a part knows nothing of the others. A refusal that is told twice about the end of a month could be of
-- another month the second time: its id is kept here for a while.
create table app.refusals_at_month_end (
    id uuid primary key,
    written_at timestamp with time zone not null default pg_catalog.clock_timestamp()
);

create index refusals_at_month_end_written_at_idx on app.refusals_at_month_end (written_at);

alter table app.refusals_at_month_end enable row level security;
alter table app.refusals_at_month_end force row level security;

-- What was written out of the log into files, each of which begins with the digest at the end of the one before, and
-- which months were then removed.
create table audit.archives (
    number integer primary key,
    month date not null,
    records bigint not null,
    previous_digest text not null,
    digest text not null,
    file text not null,
    archived_by name not null default session_user,
    archived_at timestamp with time zone not null default pg_catalog.clock_timestamp(),
    removed_by name,
    removed_at timestamp with time zone,
    constraint archives_month_begins check (extract(day from month) = 1),
    constraint archives_records_counted check (records >= 0),
    constraint archives_digests check (previous_digest ~ '^[0-9a-f]{64}$' and digest ~ '^[0-9a-f]{64}$'),
    constraint archives_removed_whole check ((removed_by is null) = (removed_at is null))
);

alter table audit.archives enable row level security;
alter table audit.archives force row level security;
