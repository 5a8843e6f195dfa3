-- The one place that reads the settings of a request. Written in one place too: src/db/settings.ts.
-- In PL/pgSQL, which keeps its plans, but for app.client_access: a pinned search_path forbids inlining, and Postgres 15
-- parses and plans the body of an SQL function that is no part of a plan at each call.

-- Schema app is open to those who work on behalf of a request; what they may run is granted function by function.
grant usage on schema app to taxclaims_client, taxclaims_admin, taxclaims_definer, taxclaims_api;

-- Once a local setting has ended, Postgres reads it as '' on that connection for ever, so '' is nothing too.
create or replace function app.setting(name text)
    returns text
    language plpgsql stable set search_path = ''
as $function$
begin
    return nullif(pg_catalog.current_setting('app.' || setting.name, true), '');
end
$function$;

comment on function app.setting(text) is 'A setting app.… of this transaction; null where it is not set.';

create or replace function app.listed_clients(listed text)
    returns uuid[]
    language plpgsql stable set search_path = ''
as $function$
begin
    return coalesce(pg_catalog.array_remove(nullif(listed_clients.listed, '')::uuid[], null), '{}');
exception
    -- Whatever the text is, and however Postgres words its refusal: it names no client.
    when others then
        return '{}';
end
$function$;

comment on function app.listed_clients(text) is 'The clients of a list as text; none where it is nothing, or malformed.';

-- Its body is parsed, and so bound to no search_path, when it is made: without a `set` it becomes part of each plan instead
-- of a call. One client, as most requests name one, cannot be malformed in this form, and an exception block costs as much
-- again.
create or replace function app.client_access()
    returns uuid[]
    language sql stable
return case
    when pg_catalog.current_setting('app.client_access', true) like '{________-____-____-____-____________}'
        and pg_catalog.translate(pg_catalog.current_setting('app.client_access', true), '0123456789abcdef', '') = '{----}'
        then pg_catalog.current_setting('app.client_access', true)::uuid[]
    else app.listed_clients(pg_catalog.current_setting('app.client_access', true))
end;

comment on function app.client_access() is
    'The clients that the request may touch; none where nothing is set, or nothing that is a list of UUIDs. In a '
    'policy: (select app.client_access())::uuid[], which reads it once for a statement.';

-- Null also where the value is no UUID.
create or replace function app.user_id()
    returns uuid
    language plpgsql stable set search_path = ''
as $function$
declare
    said constant text := pg_catalog.current_setting('app.user_id', true);
begin
    if said like '________-____-____-____-____________'
        and pg_catalog.translate(said, '0123456789abcdef', '') = '----'
    then
        return said::uuid;
    end if;
    begin
        return nullif(said, '')::uuid;
    exception
        when invalid_text_representation then
            return null;
    end;
end
$function$;

comment on function app.user_id() is 'The stored user who asks; null outside a request.';

-- Reads the setting, not current_user: inside a definer function that is the function's owner.
create or replace function app.role()
    returns text
    language plpgsql stable set search_path = ''
as $function$
declare
    said constant text := pg_catalog.current_setting('role');
begin
    return case
        when said = 'taxclaims_scoped_admin' then 'ADMIN'
        when said = 'none' then null
        else (
            select pg_catalog.upper(pg_catalog.replace(h.name, 'taxclaims_', ''))
            from app.house_roles() as h
            where h.name = said and h.purpose = 'request'
        )
    end;
end
$function$;

comment on function app.role() is
    'The role of the application behind the request role, as tokens say it; null outside a request.';

-- A strong validator (RFC 9110, 8.8.3).
create or replace function app.etag(updated_at timestamp with time zone)
    returns text
    language plpgsql immutable parallel safe set search_path = ''
as $function$
begin
    return '"' || (extract(epoch from etag.updated_at) * 1000000)::bigint || '"';
end
$function$;

comment on function app.etag(timestamp with time zone) is 'The entity tag of a record, in quotes, from its updated_at.';

-- age() counts for the half of an id that a row keeps, from the same transaction in the same statement. More than any age
-- for one that began longer ago than half an id can tell.
create or replace function app.age_of(writer xid8)
    returns integer
    language sql stable set search_path = ''
return case
    when pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::bigint - writer::text::bigint < 2000000000
        then pg_catalog.age(writer::xid)
    else 2147483647
end;

comment on function app.age_of(xid8) is
    'How many transactions ago one began, to compare with age(xmin) of a row in the same statement.';

create or replace function app.address(text text)
    returns inet
    language plpgsql immutable set search_path = ''
as $function$
begin
    return address.text::inet;
exception
    when invalid_text_representation then
        return null;
end
$function$;

comment on function app.address(text) is 'A text as an address; null where it is none.';

create or replace function app.request(
    out request_id text, out actor text, out user_id uuid, out action text, out ip_address inet, out user_agent text
)
    language plpgsql stable set search_path = ''
as $function$
begin
    request_id := nullif(pg_catalog.current_setting('app.request_id', true), '');
    actor := nullif(pg_catalog.current_setting('app.actor', true), '');
    user_id := app.user_id();
    action := nullif(pg_catalog.current_setting('app.action', true), '');
    ip_address := app.address(nullif(pg_catalog.current_setting('app.ip_address', true), ''));
    user_agent := nullif(pg_catalog.current_setting('app.user_agent', true), '');
end
$function$;

comment on function app.request() is 'What the request says of itself, for the records of what it changes.';
-- The constraints and the generated columns of the tables run the last three for whoever writes.
grant execute on function
    app.setting(text),
    app.listed_clients(text),
    app.client_access(),
    app.user_id(),
    app.role(),
    app.etag(timestamp with time zone),
    app.age_of(xid8),
    app.access_digest(text, uuid[]),
    app.is_siret(text),
    app.searchable(text)
to taxclaims_client, taxclaims_admin, taxclaims_definer;
grant execute on function app.address(text), app.request() to taxclaims_definer;
