create view audit.finding_large_objects with (security_invoker) as
select
    'error' as level,
    f.oid::regprocedure::text as object,
    'everybody may create large objects, which have no policies' as detail,
    pg_catalog.format('revoke execute on function %s from public;  -- as a superuser', f.oid::regprocedure) as remedy
from pg_catalog.pg_proc as f
cross join lateral pg_catalog.aclexplode(coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner))) as x
where f.oid in (
        'pg_catalog.lo_create(oid)'::regprocedure,
        'pg_catalog.lo_creat(integer)'::regprocedure,
        'pg_catalog.lo_from_bytea(oid, bytea)'::regprocedure
    )
    and x.grantee = 0
union all
select
    'error',
    pg_catalog.format('large object %s', m.oid),
    pg_catalog.format('%s may %s its data, which has no policies', granted.to_whom, granted.what),
    pg_catalog.format('revoke all on large object %s from %s;', m.oid, granted.to_whom)
from pg_catalog.pg_largeobject_metadata as m
cross join lateral (
    select
        case x.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(x.grantee)) end as to_whom,
        pg_catalog.string_agg(case x.privilege_type when 'SELECT' then 'read' else 'change' end, ' and ' order by x.privilege_type) as what
    from pg_catalog.aclexplode(m.lomacl) as x
    where x.grantee <> m.lomowner
    group by x.grantee
) as granted;

comment on view audit.finding_large_objects is
    'A role can store data in large objects, which have no policies, or read large objects of another role. Cause: a '
    'grant, or the default right of PUBLIC if db:migrate ran without SUPERUSER. Mend: run the SQL in the column '
    'remedy.';
