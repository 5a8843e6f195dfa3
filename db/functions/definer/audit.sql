-- The functions of this file access audit_logs as taxclaims_definer, because no request role may insert audit records.

-- app.record_refusals stores audit records of refused requests in one statement. app.record_refusals shortens long
-- texts, and stores null instead of a malformed id or IP address. If the service sends the record of a refused request
-- twice, app.refusals_at_month_end lets only one monthly partition store the record. created_at of an audit record is
-- the start of the statement minus age_ms, or refused_at_ms if that is more than 2 s earlier.
create or replace function app.record_refusals(refusals jsonb)
    returns timestamp with time zone
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    uuid_form constant text := '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
    longest_age constant double precision := 1e12;
    latest constant double precision := 1e13;
    max_delivery_time constant interval := '2 seconds';
    -- If the service sends the record of a refusal twice, the two values of created_at differ by at most this interval.
    month_end_margin constant interval := '1 day';
begin
    with parsed as (
        select
            case when r.id ~ uuid_form then r.id::uuid else pg_catalog.gen_random_uuid() end as id,
            pg_catalog."left"(r.request_id, 100) as request_id,
            pg_catalog."left"(coalesce(r.actor, 'anonymous'), 255) as actor,
            r.actor as subject,
            pg_catalog."left"(coalesce(r.action, ''), 100) as action,
            pg_catalog."left"(coalesce(r.resource_type, ''), 50) as resource_type,
            case when r.resource_id ~ uuid_form then r.resource_id::uuid end as resource_id,
            case when r.client_context ~ uuid_form then r.client_context::uuid end as client_context,
            pg_catalog."left"(r.error_message, 2000) as error_message,
            app.parse_ip_address(r.ip_address) as ip_address,
            pg_catalog."left"(r.user_agent, 2000) as user_agent,
            least(
                case
                    when t.stated_time is null or (r.age_ms is not null and t.time_by_age <= t.stated_time + max_delivery_time)
                        then t.time_by_age
                    else t.stated_time
                end,
                pg_catalog.clock_timestamp()
            ) as created_at
        from pg_catalog.jsonb_to_recordset(record_refusals.refusals) as r (
            id text,
            request_id text,
            actor text,
            action text,
            resource_type text,
            resource_id text,
            client_context text,
            error_message text,
            ip_address text,
            user_agent text,
            age_ms double precision,
            refused_at_ms double precision
        )
        cross join lateral (
            select
                -- age_ms is the refusal's age at the start of the statement, which may have waited for a lock since.
                pg_catalog.statement_timestamp() - pg_catalog.make_interval(
                    secs => greatest(0, least(coalesce(r.age_ms, 0), longest_age)) / 1000
                ) as time_by_age,
                case
                    when r.refused_at_ms is not null
                        then pg_catalog.to_timestamp(greatest(0, least(r.refused_at_ms, latest)) / 1000)
                end as stated_time
        ) as t
    ),
    dated as materialized (
        select
            parsed.*,
            -- Months are in UTC here, because the partitions of the audit log begin and end in UTC.
            pg_catalog.date_trunc('month', (parsed.created_at - month_end_margin) at time zone 'UTC')
                <> pg_catalog.date_trunc('month', (parsed.created_at + month_end_margin) at time zone 'UTC') as is_at_month_end
        from parsed
    ),
    new_at_month_end as (
        insert into app.refusals_at_month_end (id)
        select d.id from dated as d where d.is_at_month_end order by d.id
        on conflict do nothing
        returning id
    )
    insert into public.audit_logs (
        id, request_id, user_id, actor, action, resource_type, resource_id, client_context,
        success, error_message, ip_address, user_agent, created_at
    )
    select
        d.id, d.request_id, u.id,
        -- The column `actor` gets the digest of an erased user's subject, so that the subject is not stored again.
        case when u.subject <> d.subject then u.subject else d.actor end,
        d.action, d.resource_type, d.resource_id, d.client_context, false, d.error_message, d.ip_address, d.user_agent, d.created_at
    from dated as d
    left join public.users as u on u.subject in (d.subject, app.erased_subject(d.subject))
    where not d.is_at_month_end or d.id in (select f.id from new_at_month_end as f)
    on conflict do nothing;
    return pg_catalog.clock_timestamp();
end
$function$;

comment on function app.record_refusals(jsonb) is
    'Stores an array of audit records of refused requests, each id only once, and returns the database server''s time. '
    'A malformed field raises no error.';
grant execute on function app.record_refusals(jsonb) to taxclaims_api;

-- app.record_change dates each audit record of a row later than the row's previous audit record, even if the clock was
-- set back. Every write waits for app.record_change, so it runs at most one query to find the client of the written
-- row. A table without the column client_id needs its own branch in app.record_change; otherwise every write to the
-- table fails.
create or replace function app.record_change()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
    -- A new plan for each call of app.record_change would cost more time than a better plan saves.
    set plan_cache_mode = force_generic_plan
as $function$
declare
    request_settings constant record := app.read_request_settings();
    -- app.record_change reads oldest_transaction before the clock, so a transaction that begins after the time `dated`
    -- has an id above oldest_transaction.
    oldest_transaction constant xid8 := pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot());
    dated timestamp with time zone := pg_catalog.clock_timestamp();
    next_day timestamp with time zone;
    written_row record;
    resource uuid;
    client uuid;
    changed jsonb;
    list_change jsonb;
    internal boolean;
begin
    -- A row that is written as it was has not changed.
    if tg_op = 'UPDATE' and new is not distinct from old then
        return null;
    end if;
    if tg_op = 'DELETE' then
        written_row := old;
    else
        written_row := new;
    end if;
    if tg_table_name = 'client_partners' then
        resource := written_row.partner_id;
    else
        resource := written_row.id;
    end if;

    if tg_op = 'UPDATE' then
        changed := app.changed_columns(tg_table_name, old, new);
    end if;

    case tg_table_name
        when 'clients' then
            client := written_row.id;
        when 'cadastres' then
            select s.client_id into client from public.sites as s where s.id = written_row.site_id;
        when 'documents' then
            select r.client_id into client from public.reclamations as r where r.id = written_row.reclamation_id;
        when 'partners' then
            null;
        when 'notes' then
            client := written_row.client_id;
            internal := written_row.internal and coalesce(old.internal, true);
        when 'users' then
            -- If a change adds or removes exactly one client of a user's list, client_context of the audit record is
            -- that client. The audit record contains only the added and removed clients, because a user's list of
            -- clients may be long.
            select
                case pg_catalog.count(*) when 1 then (pg_catalog.array_agg(c.id))[1] end,
                pg_catalog.jsonb_build_array(
                    coalesce(pg_catalog.jsonb_agg(c.id order by c.id) filter (where c.is_removed), '[]'),
                    coalesce(pg_catalog.jsonb_agg(c.id order by c.id) filter (where not c.is_removed), '[]')
                )
            into client, list_change
            from (
                select coalesce(b.id, a.id) as id, a.id is null as is_removed
                from pg_catalog.unnest(old.client_access) as b (id)
                full join pg_catalog.unnest(written_row.client_access) as a (id) on a.id = b.id
                where b.id is null or a.id is null
            ) as c;
            -- The audit finding impossible_row compares these values of a new user with the user's row.
            if tg_op = 'INSERT' then
                changed := pg_catalog.jsonb_build_object(
                    'role', pg_catalog.jsonb_build_array(null, written_row.role),
                    'is_active', pg_catalog.jsonb_build_array(null, written_row.is_active),
                    'client_access', list_change
                );
            elsif changed ? 'client_access' then
                changed := changed || pg_catalog.jsonb_build_object('client_access', list_change);
            end if;
        else
            client := written_row.client_id;
    end case;

    -- Only a new link to a partner can have older audit records, because a deleted link can be created again.
    if tg_op <> 'INSERT' or tg_table_name = 'client_partners' then
        -- The query searches only audit records dated up to a day ahead of the clock, so it reads at most two
        -- partitions. If the clock was set back by more than a day, app.record_change does not correct the date.
        next_day := dated + interval '1 day';
        dated := greatest(
            dated,
            (
                select a.created_at + interval '1 microsecond'
                from public.audit_logs as a
                where a.resource_id = resource and a.created_at >= dated and a.created_at < next_day
                order by a.created_at desc
                limit 1
            )
        );
    end if;

    insert into public.audit_logs (
        request_id, user_id, actor, action, resource_type, resource_id, client_context,
        success, ip_address, user_agent, created_at, oldest_writer, changed, writer, kind, internal
    )
    values (
        request_settings.request_id,
        app.hold_caller(request_settings.actor, request_settings.user_id),
        coalesce(request_settings.actor, session_user),
        pg_catalog."left"(coalesce(request_settings.action, tg_op), 100),
        tg_table_name, resource, client, true, request_settings.ip_address,
        pg_catalog."left"(request_settings.user_agent, 2000),
        dated,
        oldest_transaction,
        changed,
        pg_catalog.pg_current_xact_id(),
        case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'deleted' end,
        internal
    );
    return written_row;
end
$function$;

comment on function app.record_change() is
    'Trigger of the audited tables that writes an audit record of each write, in the transaction of the write.';
grant execute on function app.record_change() to taxclaims_owner;

-- In the changes of a user's list of clients, a caller sees only the caller's own clients. Of another user, a caller
-- sees the other changes only since that user shares a client with the caller. Only an ADMIN sees changes of
-- users.is_active. app.changes_of leaves out the values of a new user, changes from a time when the record belonged to
-- another client, and changes of columns that no longer exist.
create or replace function app.changes_of(
    resource_type text, id uuid, before timestamp with time zone, behind text, most bigint
)
    returns table (at timestamp with time zone, user_id uuid, field text, old jsonb, new jsonb)
    language plpgsql stable security definer set search_path = ''
as $function$
declare
    caller constant text := pg_catalog.current_setting('role');
    clients constant uuid[] := app.client_access();
    is_admin constant boolean := caller = 'taxclaims_admin';
    is_self constant boolean := changes_of.resource_type = 'users' and changes_of.id = app.user_id();
    shown constant regclass := pg_catalog.to_regclass(pg_catalog.format('public.%I', changes_of.resource_type));
    shared_since timestamp with time zone;
    place record;
begin
    select l.found, l.client_id into place from app.locate(changes_of.resource_type, changes_of.id) as l;
    if not place.found or not (is_admin or is_self or coalesce(place.client_id = any (clients), false) or case
        when changes_of.resource_type = 'partners' then exists (
            select
            from public.client_partners as l
            where l.partner_id = changes_of.id and l.client_id = any (clients)
        )
        when changes_of.resource_type = 'users' then caller <> 'taxclaims_tax_specialist' and exists (
            select from public.users as u where u.id = changes_of.id and u.client_access && clients
        )
        else false
    end) then
        return;
    end if;
    if changes_of.resource_type = 'users' and not is_admin and not is_self then
        shared_since := app.shared_since(changes_of.id);
    end if;
    return query
    select a.created_at, a.user_id, c.key, s.value -> 0, s.value -> 1
    from public.audit_logs as a
    cross join lateral pg_catalog.jsonb_each(a.changed) as c
    cross join lateral (
        select case
            when changes_of.resource_type = 'users' and c.key = 'client_access' then app.keep_own_clients(c.value)
            else c.value
        end as value
    ) as s
    where a.resource_id = changes_of.id
        and a.resource_type = changes_of.resource_type
        and a.changed is not null
        and a.kind is distinct from 'created'
        and a.created_at <= changes_of.before
        and (a.created_at < changes_of.before or c.key > changes_of.behind)
        and (is_admin or place.client_id is null or a.client_context = place.client_id)
        and exists (
            select
            from pg_catalog.pg_attribute as t
            where t.attrelid = shown
                and t.attname = c.key
                and pg_catalog.has_column_privilege(caller, shown, t.attnum, 'SELECT')
        )
        and (changes_of.resource_type <> 'users' or c.key <> 'is_active' or is_admin or caller = 'taxclaims_scoped_admin')
        -- The API may read the path in the store, to read the content, and never shows it.
        and (changes_of.resource_type <> 'documents' or c.key <> 'file_path')
        and (shared_since is null or c.key = 'client_access' or a.created_at > shared_since)
        and s.value <> '[[], []]'
    order by a.created_at desc, c.key
    limit changes_of.most;
end
$function$;

comment on function app.changes_of(text, uuid, timestamp with time zone, text, bigint) is
    'Returns the changed columns of a record with old and new values, the newest change first. The caller must have '
    'access to the record''s client and the right to read the column.';
grant execute on function app.changes_of(text, uuid, timestamp with time zone, text, bigint)
to taxclaims_tax_specialist, taxclaims_admin;

create or replace function app.oldest_writer_at(moment timestamp with time zone)
    returns xid8
    language sql stable security definer set search_path = ''
begin atomic
    select coalesce(
        (
            select a.oldest_writer
            from public.audit_logs as a
            where a.created_at <= oldest_writer_at.moment and a.oldest_writer is not null
            order by a.created_at desc
            limit 1
        ),
        '0'
    );
end;

comment on function app.oldest_writer_at(timestamp with time zone) is
    'Returns the id of the oldest transaction that was running when the last audit record before a given time was '
    'written; 0 if there is no such record. If the transaction of a change dated before the given time commits later, '
    'its id is not lower than the returned id.';
grant execute on function app.oldest_writer_at(timestamp with time zone) to taxclaims_client, taxclaims_admin;
