-- Each deploy writes the names of the migrations into the function app.applied_migrations, because only the owner may
-- read the table app.migrations.
do $migrations$
begin
    execute pg_catalog.format(
        'create or replace function app.applied_migrations() returns text[] language sql stable set search_path = '''' return %L::text[]',
        (select pg_catalog.array_agg(m.name::text order by m.name) from app.migrations as m)
    );
end
$migrations$;

comment on function app.applied_migrations() is
    'Returns the names of the migrations that were applied at the end of the last deploy.';
grant execute on function app.applied_migrations() to taxclaims_api;

-- If a migration of the release is missing, app.objections reports that the database is too old. Migrations of a newer
-- release are allowed, because the previous release still serves requests during a deploy.
create or replace function app.objections(needed text[])
    returns setof text
    language plpgsql stable set search_path = ''
as $function$
begin
    return query
    select o.objection
    from app.list_login_refusal_reasons(session_user) as o (objection)
    union all
    select 'row-level security is off or not forced on ' || pg_catalog.string_agg(c.oid::regclass::text, ', ')
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p')
        and n.nspname in ('public', 'app', 'reporting', 'audit', 'audit_log')
        and not (c.relrowsecurity and c.relforcerowsecurity)
    having pg_catalog.count(*) > 0
    union all
    select pg_catalog.format(
        'not as db:migrate made it: %s',
        pg_catalog.string_agg(coalesce(g.object, meant.key), ', ' order by coalesce(g.object, meant.key))
    )
    from app.digest_functions_and_triggers() as g
    full join pg_catalog.jsonb_each_text(app.read_deployed_digests()) as meant on meant.key = g.object
    where g.digest is distinct from meant.value
    having pg_catalog.count(*) > 0
    union all
    select
        case
            when pg_catalog.pg_is_in_recovery() then 'the server is a standby, which takes no writes'
            else 'the database takes no writes: default_transaction_read_only is on'
        end
    where pg_catalog.current_setting('transaction_read_only')::boolean
    union all
    select
        'the database is older than this release: run db:migrate, which has yet to apply '
        || pg_catalog.string_agg(n.name, ', ' order by n.name)
    from pg_catalog.unnest(needed) as n (name)
    where n.name <> all (app.applied_migrations())
    having pg_catalog.count(*) > 0;
end
$function$;

comment on function app.objections(text[]) is
    'Returns the reasons why the service must not serve requests from this database. GET /health answers 503 if '
    'app.objections returns a reason. The parameter `needed` lists the migrations of the caller''s release.';
grant execute on function app.objections(text[]) to taxclaims_api;
