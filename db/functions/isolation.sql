-- Whether the tenants are kept apart for the login that asks: every table has row-level security, forced, and the
-- login can neither bypass it nor switch it off, by itself or as anybody it can become. A few catalog rows: cheap
-- enough for a health check.
create or replace function app.isolation_holds()
    returns boolean
    language sql
    stable
    set search_path = ''
return not exists (
    select
    from pg_catalog.pg_class as c
    where c.relkind in ('r', 'p')
        and c.relnamespace in (
            select n.oid
            from pg_catalog.pg_namespace as n
            where n.nspname in ('public', 'app', 'reporting', 'audit')
        )
        and (
            not c.relrowsecurity
            or not c.relforcerowsecurity
            or pg_catalog.pg_has_role(session_user, c.relowner, 'MEMBER')
        )
) and not exists (
    select
    from pg_catalog.pg_roles as r
    where (r.rolsuper or r.rolbypassrls or r.rolname = 'taxclaims_definer')
        and pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')
);

revoke execute on function app.isolation_holds() from public;
grant execute on function app.isolation_holds() to taxclaims_api;
