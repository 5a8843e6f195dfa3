-- GET /api/changes: docs/decisions/changes-told.md. app.next_changes reads the audit log with the rights of these.

-- A caller is told of the records of their clients, for a record's client never changes. Of a note, a CLIENT is told of
-- the writes before or after which it was not internal. Of a user or a partner, a caller is told while a policy lets them
-- read it. A caller who may read no column of a table is told nothing of the table.
create or replace function app.changes_after(after text, most bigint)
    returns table (
        resource text, id uuid, client_id uuid, kind text, at timestamp with time zone, place text, more boolean
    )
    language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off
as $function$
declare
    caller constant text := pg_catalog.current_setting('role');
    clients constant uuid[] := app.client_access();
    is_admin constant boolean := caller = 'taxclaims_admin';
    self constant uuid := app.user_id();
begin
    return query
    select
        c.resource, c.id, case when is_admin or c.client_id = any (clients) then c.client_id end,
        c.kind, c.at, c.place, c.more
    from app.next_changes(changes_after.after, changes_after.most) as c
    where c.place is not null
        or (
            pg_catalog.has_any_column_privilege(
                caller, pg_catalog.to_regclass(pg_catalog.format('public.%I', c.resource)), 'SELECT'
            )
            and (c.internal is not true or caller <> 'taxclaims_client')
            and (is_admin or case c.resource
                when 'users' then c.id = self or (
                    caller in ('taxclaims_scoped_admin', 'taxclaims_account_manager') and exists (
                        select from public.users as u where u.id = c.id and u.client_access && clients
                    )
                )
                when 'partners' then exists (
                    select from public.client_partners as l where l.partner_id = c.id and l.client_id = any (clients)
                )
                or exists (
                    -- Whoever deletes a partner deletes its links.
                    select
                    from public.audit_logs as a
                    where c.kind = 'deleted'
                        and a.resource_id = c.id
                        and a.resource_type = 'client_partners'
                        and a.writer = c.writer
                        and a.kind = 'deleted'
                        and a.client_context = any (clients)
                )
                else c.client_id = any (clients)
            end)
        )
    order by c.place is not null, c.at, c.id;
end
$function$;

comment on function app.changes_after(text, bigint) is
    'Created, changed and deleted records of the caller''s clients behind a place, then the next place. Without a place '
    'the present one. TX410 if older than the audit log.';
grant execute on function app.changes_after(text, bigint) to taxclaims_client, taxclaims_admin;

-- everybody: the rights of a user, or a partner, whose clients may be any.
create or replace function app.changed_clients(after text, most bigint)
    returns table (place text, more boolean, everybody boolean, clients uuid[])
    language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off
as $function$
begin
    return query
    select
        pg_catalog.max(c.place),
        pg_catalog.bool_or(c.more),
        coalesce(pg_catalog.bool_or(c.resource in ('users', 'partners')), false),
        coalesce(
            pg_catalog.array_agg(distinct c.client_id)
                filter (where c.client_id is not null and c.resource not in ('users', 'partners')),
            '{}'
        )
    from app.next_changes(changed_clients.after, changed_clients.most) as c;
end
$function$;

comment on function app.changed_clients(text, bigint) is
    'Whose records were written behind a place, and the next place. Wakes the readers of GET /api/changes.';
grant execute on function app.changed_clients(text, bigint) to taxclaims_api;
