create view audit.finding_server_function_open with (security_invoker) as
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
    ) as remedy
from (
    select
        t.what, t.risk, r.rolname as role,
        pg_catalog.string_agg(t.oid::regprocedure::text, ', ' order by t.oid::regprocedure::text) as functions,
        pg_catalog.bool_or(t.is_needed_by_house) as has_lock_of_house
    from audit.functions_to_close as t
    join pg_catalog.pg_proc as f on f.oid = t.oid
    cross join lateral pg_catalog.aclexplode(coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner))) as x
    left join pg_catalog.pg_roles as r on r.oid = x.grantee
    where coalesce(not r.rolsuper, x.grantee = 0)
        and not (t.is_needed_by_house and coalesce(r.rolname = 'taxclaims_definer', false))
    group by t.what, t.risk, r.rolname
) as held;

comment on view audit.finding_server_function_open is
    'A login may run functions of Postgres that fill the lock table or the disk, or store data without policies. '
    'Cause: a grant, or the default right of PUBLIC if db:migrate ran without SUPERUSER. Mend: run the SQL in the '
    'column remedy as a superuser; where there is none, accept the finding.';
