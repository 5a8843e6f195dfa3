-- A text may repeat the id of a client that another column hides. The functions of this file hide the id there too.

-- In a path, the id of a client follows the segment `clients` or `client-access`. The id may be percent-encoded, and
-- audit_logs.action may have only its beginning.
create or replace function app.mask_client_ids(action text)
    returns text
    language plpgsql stable
    parallel restricted set search_path = ''
as $function$
declare
    parts constant text[] := pg_catalog.regexp_match(
        mask_client_ids.action, '^(.*/(?:clients|client-access)/)([^/ ]*[-0-9%][^/ ]*)(.*)$'
    );
begin
    if parts is null
        or pg_catalog.current_setting('role') = 'taxclaims_admin'
        or exists (
            select
            from pg_catalog.unnest(app.client_access()) as c (id)
            where pg_catalog."left"(c.id::text, pg_catalog.length(parts[2])) = pg_catalog.lower(parts[2])
        )
    then
        return mask_client_ids.action;
    end if;
    return parts[1] || '{clientId}' || parts[3];
end
$function$;

comment on function app.mask_client_ids(text) is
    'Returns the text of an audit record with {clientId} instead of the id of a client to which the caller has no '
    'access.';
grant execute on function app.mask_client_ids(text) to taxclaims_definer, taxclaims_scoped_admin, taxclaims_admin;

create or replace function app.keep_own_clients(change jsonb)
    returns jsonb
    language plpgsql stable set search_path = ''
as $function$
declare
    clients constant uuid[] := app.client_access();
begin
    if pg_catalog.current_setting('role') = 'taxclaims_admin' then
        return keep_own_clients.change;
    end if;
    return (
        select pg_catalog.jsonb_agg(
            (
                select coalesce(pg_catalog.jsonb_agg(l.id), '[]')
                from pg_catalog.jsonb_array_elements_text(s.ids) as l (id)
                where l.id::uuid = any (clients)
            )
            order by s.position
        )
        from pg_catalog.jsonb_array_elements(keep_own_clients.change) with ordinality as s (ids, position)
    );
end
$function$;

comment on function app.keep_own_clients(jsonb) is
    'Returns a change of a user''s list of clients, as in audit_logs.changed, with only the caller''s clients.';

-- app.changes_of and app.kept_on show no name and email that a user had before the time that app.shared_since returns.
create or replace function app.shared_since(target uuid)
    returns timestamp with time zone
    language plpgsql stable set search_path = ''
as $function$
begin
    return (
        select coalesce(pg_catalog.min(coalesce(g.at, '-infinity')), 'infinity')
        from public.users as u
        cross join lateral pg_catalog.unnest(u.client_access) as c (id)
        left join (
            select l.id, pg_catalog.max(a.created_at) as at
            from public.audit_logs as a
            cross join lateral pg_catalog.jsonb_array_elements_text(a.changed #> '{client_access,1}') as l (id)
            where a.resource_id = shared_since.target and a.resource_type = 'users'
            group by l.id
        ) as g on g.id = c.id::text
        where u.id = shared_since.target and c.id = any (app.client_access())
    );
end
$function$;

comment on function app.shared_since(uuid) is
    'Returns the time since when a user has had one of the clients that the user shares with the caller now; -infinity '
    'if the user has had such a client from the start of the audit log.';
grant execute on function app.keep_own_clients(jsonb), app.shared_since(uuid) to taxclaims_definer;
