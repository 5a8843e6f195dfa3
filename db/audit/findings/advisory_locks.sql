create view audit.finding_advisory_locks with (security_invoker) as
select
    'error' as level,
    f.oid::regprocedure::text as object,
    'everybody may take advisory locks: one session can fill the lock table and stop all others' as detail,
    case
        when f.oid = 'pg_catalog.pg_try_advisory_xact_lock(bigint)'::regprocedure
            then pg_catalog.format('grant execute on function %s to taxclaims_definer; ', f.oid::regprocedure)
        else ''
    end
    || pg_catalog.format('revoke execute on function %s from public;  -- as a superuser', f.oid::regprocedure) as remedy
from pg_catalog.pg_proc as f
cross join lateral pg_catalog.aclexplode(coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner))) as x
where f.pronamespace = 'pg_catalog'::regnamespace
    and f.proname ~ '^pg_(try_)?advisory_(xact_)?lock(_shared)?$'
    and x.grantee = 0;

comment on view audit.finding_advisory_locks is
    'One session can fill the server''s lock table and stop every request. Cause: a grant to PUBLIC, or the default '
    'right of PUBLIC if db:migrate ran without SUPERUSER. Mend: revoke EXECUTE on the lock functions as a superuser.';
