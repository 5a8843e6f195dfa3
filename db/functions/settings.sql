-- src/db/settings.ts writes the settings of a request, and only the functions of this file read them. Most functions of
-- this file are in PL/pgSQL, which caches plans; Postgres would make a new plan at each call of an SQL function that it
-- cannot inline.

grant usage on schema app to taxclaims_client, taxclaims_admin, taxclaims_definer, taxclaims_api;

-- After the end of a transaction Postgres returns '' for a setting that the transaction set with `set local`.
create or replace function app.setting(name text)
    returns text
    language plpgsql stable set search_path = ''
as $function$
begin
    return nullif(pg_catalog.current_setting('app.' || setting.name, true), '');
end
$function$;

comment on function app.setting(text) is
    'Returns the setting app.<name> of the present transaction; null if it is not set.';

create or replace function app.parse_client_list(listed text)
    returns uuid[]
    language plpgsql stable set search_path = ''
as $function$
begin
    return coalesce(pg_catalog.array_remove(nullif(parse_client_list.listed, '')::uuid[], null), '{}');
exception
    when others then
        return '{}';
end
$function$;

comment on function app.parse_client_list(text) is
    'Returns the clients in a list that is given as text; none if the text is empty or malformed.';

-- Postgres inlines app.client_access into a query, because the function has no `set` clause. The first branch of
-- app.client_access reads the usual list of one client without the slow exception block of app.parse_client_list.
create or replace function app.client_access()
    returns uuid[]
    language sql stable
return case
    when pg_catalog.current_setting('app.client_access', true) like '{________-____-____-____-____________}'
        and pg_catalog.translate(pg_catalog.current_setting('app.client_access', true), '0123456789abcdef', '') = '{----}'
        then pg_catalog.current_setting('app.client_access', true)::uuid[]
    else app.parse_client_list(pg_catalog.current_setting('app.client_access', true))
end;

comment on function app.client_access() is
    'Returns the clients that the caller of the request may access; none if the setting app.client_access is missing '
    'or malformed. In a policy write (select app.client_access())::uuid[], which reads the setting once per statement.';

create or replace function app.user_id()
    returns uuid
    language plpgsql stable set search_path = ''
as $function$
declare
    setting_value constant text := pg_catalog.current_setting('app.user_id', true);
begin
    if setting_value like '________-____-____-____-____________'
        and pg_catalog.translate(setting_value, '0123456789abcdef', '') = '----'
    then
        return setting_value::uuid;
    end if;
    begin
        return nullif(setting_value, '')::uuid;
    exception
        when invalid_text_representation then
            return null;
    end;
end
$function$;

comment on function app.user_id() is 'Returns the id of the stored user who makes the request; null outside a request.';

-- app.role reads the setting `role`, because in a security definer function current_user is the function's owner.
create or replace function app.role()
    returns text
    language plpgsql stable set search_path = ''
as $function$
declare
    setting_value constant text := pg_catalog.current_setting('role');
begin
    return case
        when setting_value = 'taxclaims_scoped_admin' then 'ADMIN'
        when setting_value = 'none' then null
        else (
            select pg_catalog.upper(pg_catalog.replace(h.name, 'taxclaims_', ''))
            from app.house_roles() as h
            where h.name = setting_value and h.purpose = 'request'
        )
    end;
end
$function$;

comment on function app.role() is 'Returns the caller''s role, as tokens name it; null outside a request.';

-- The returned ETag is a strong validator (RFC 9110, 8.8.3).
create or replace function app.etag(updated_at timestamp with time zone)
    returns text
    language plpgsql immutable parallel safe set search_path = ''
as $function$
begin
    return '"' || (extract(epoch from etag.updated_at) * 1000000)::bigint || '"';
end
$function$;

comment on function app.etag(timestamp with time zone) is
    'Returns the ETag of a record, which is updated_at in microseconds, in quotes.';

-- age() compares only 32 bits of a transaction id, so app.age_of returns the largest integer for a transaction more
-- than 2 billion ids ago.
create or replace function app.age_of(writer xid8)
    returns integer
    language sql stable set search_path = ''
return case
    when pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::bigint - writer::text::bigint < 2000000000
        then pg_catalog.age(writer::xid)
    else 2147483647
end;

comment on function app.age_of(xid8) is
    'Returns how many transactions began after the given transaction, as age(xmin) does for xmin.';

create or replace function app.parse_ip_address(text text)
    returns inet
    language plpgsql immutable set search_path = ''
as $function$
begin
    return parse_ip_address.text::inet;
exception
    when invalid_text_representation then
        return null;
end
$function$;

comment on function app.parse_ip_address(text) is 'Converts a text to an IP address; null if the text is malformed.';

create or replace function app.read_request_settings(
    out request_id text, out actor text, out user_id uuid, out action text, out ip_address inet, out user_agent text
)
    language plpgsql stable set search_path = ''
as $function$
begin
    request_id := nullif(pg_catalog.current_setting('app.request_id', true), '');
    actor := nullif(pg_catalog.current_setting('app.actor', true), '');
    user_id := app.user_id();
    action := nullif(pg_catalog.current_setting('app.action', true), '');
    ip_address := app.parse_ip_address(nullif(pg_catalog.current_setting('app.ip_address', true), ''));
    user_agent := nullif(pg_catalog.current_setting('app.user_agent', true), '');
end
$function$;

comment on function app.read_request_settings() is
    'Returns the settings of the request that audit records contain, such as the IP address.';
-- Request roles need EXECUTE on access_digest, is_siren, is_siret, searchable and words, because constraints, generated columns
-- and indexes call these functions with the rights of the role that writes.
grant execute on function
    app.setting(text),
    app.parse_client_list(text),
    app.client_access(),
    app.user_id(),
    app.role(),
    app.etag(timestamp with time zone),
    app.age_of(xid8),
    app.access_digest(text, uuid[]),
    app.is_siren(text),
    app.is_siret(text),
    app.searchable(text),
    app.words(text)
to taxclaims_client, taxclaims_admin, taxclaims_definer;
grant execute on function app.parse_ip_address(text), app.read_request_settings() to taxclaims_definer;
