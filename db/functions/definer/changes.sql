-- The functions of this file serve GET /api/changes (docs/decisions/change-feed.md). app.changes_after and
-- app.changed_clients call app.next_changes, so that it reads the audit log with the rights of taxclaims_definer.

-- A caller of GET /api/changes sees the changes of records of the caller's clients. A record never moves to another
-- client. A CLIENT does not see the change of a note that was internal before and after the change. A caller sees
-- changes of a user or of a partner only while a policy lets the caller read that record. A caller who may read no
-- column of a table sees no changes of the table.
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
                    -- The deletion of a partner also deletes the partner's links to clients, in the same transaction.
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
    'Returns the records of the caller''s clients that were created, changed or deleted after a position, and in a '
    'last row the next position. If no position is given, returns only the present position. Raises TX410 if the '
    'position is older than the audit log.';
grant execute on function app.changes_after(text, bigint) to taxclaims_client, taxclaims_admin;

-- The column `everybody` is true if a user or a partner changed; such a change may concern every client.
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
    'Returns the clients whose records changed after a position, and the next position. The service wakes the open GET '
    '/api/changes streams that show a returned client.';
grant execute on function app.changed_clients(text, bigint) to taxclaims_api;
