-- Where nobody but the provider can close the functions, they are one finding.
create view audit.finding_server_function_open with (security_invoker) as
with open_functions as (
    select
        t.oid,
        t.what,
        t.risk,
        t.is_needed_by_house,
        r.rolname as role,
        audit.may_act_as(f.proowner) as is_closable
    from audit.functions_to_close as t
    join pg_catalog.pg_proc as f on f.oid = t.oid
    cross join lateral pg_catalog.aclexplode(coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner))) as x
    left join pg_catalog.pg_roles as r on r.oid = x.grantee
    where coalesce(not r.rolsuper, x.grantee = 0)
        and not (t.is_needed_by_house and coalesce(r.rolname = 'taxclaims_definer', false))
)
select
    'error' as level,
    pg_catalog.concat(held.what, ' of ' || held.role) as object,
    pg_catalog.format('%s may run %s: %s', coalesce(held.role, 'everybody'), held.functions, held.risk) as detail,
    pg_catalog.format(
        '%srevoke execute on function %s from %s;  -- as a superuser',
        case when held.role is null and held.has_lock_of_house
            then 'grant execute on function pg_try_advisory_xact_lock(bigint) to taxclaims_definer; '
        end,
        held.functions,
        coalesce(pg_catalog.quote_ident(held.role), 'public')
    ) as remedy,
    null as provider
from (
    select
        o.what, o.risk, o.role,
        pg_catalog.string_agg(o.oid::regprocedure::text, ', ' order by o.oid::regprocedure::text) as functions,
        pg_catalog.bool_or(o.is_needed_by_house) as has_lock_of_house
    from open_functions as o
    where o.is_closable
    group by o.what, o.risk, o.role
) as held
union all
select
    'error',
    'functions of pg_catalog' || coalesce(' of ' || left_open.role, ''),
    pg_catalog.format(
        '%s may run %s functions of Postgres: %s',
        coalesce(left_open.role, 'everybody'),
        pg_catalog.sum(left_open.functions),
        pg_catalog.string_agg(left_open.what || ' (' || left_open.risk || ')', ', ' order by left_open.what)
    ),
    'only a superuser can revoke them',
    'a login of this database can stop all others by filling the lock table, and can fill the disk: give BI tools a read '
    'replica, whose lock table is its own, and give nobody else a login'
from (
    select o.role, o.what, o.risk, pg_catalog.count(*) as functions
    from open_functions as o
    where not o.is_closable
    group by o.role, o.what, o.risk
) as left_open
group by left_open.role;

comment on view audit.finding_server_function_open is
    'A login may run functions of Postgres that fill the lock table or the disk, or store data without policies. '
    'Cause: a grant, or the default right of PUBLIC if db:migrate ran without SUPERUSER. Mend: run the SQL in the '
    'column remedy as a superuser; where there is none, read what the column says to do instead.';
