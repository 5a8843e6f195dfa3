-- Large objects know no row-level security, and anyone may make them unless it was taken away.
create view audit.finding_large_objects with (security_invoker) as
select
    'error' as level,
    f.oid::regprocedure::text as object,
    'everybody may make large objects, which no policy holds' as detail,
    pg_catalog.format('revoke execute on function %s from public;  -- as a superuser', f.oid::regprocedure) as remedy
from pg_catalog.pg_proc as f
cross join lateral pg_catalog.aclexplode(coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner))) as x
where f.oid in (
        'pg_catalog.lo_create(oid)'::regprocedure,
        'pg_catalog.lo_creat(integer)'::regprocedure,
        'pg_catalog.lo_from_bytea(oid, bytea)'::regprocedure
    )
    and x.grantee = 0;

comment on view audit.finding_large_objects is
    'Anybody can keep data in large objects, which no policy holds. Postgres is made so; db:migrate takes it away, '
    'but only as a superuser. Mend: revoke it once as a superuser.';
