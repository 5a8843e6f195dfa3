create view audit.finding_definer_within_reach with (security_invoker) as
select
    'error' as level,
    f.oid::regprocedure::text as object,
    pg_catalog.format(
        'runs as %s, and %s may call it',
        pg_catalog.pg_get_userbyid(f.proowner),
        coalesce(r.rolname, 'PUBLIC')
    ) as detail,
    pg_catalog.format(
        'revoke execute on routine %s from %s;',
        f.oid::regprocedure,
        case x.grantee when 0 then 'public' else pg_catalog.quote_ident(r.rolname) end
    ) as remedy
from audit.definer_functions as f
cross join lateral pg_catalog.aclexplode(coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner))) as x
left join pg_catalog.pg_roles as r on r.oid = x.grantee
left join audit.house_roles as h on h.oid = x.grantee
where x.grantee <> f.proowner
    and not (
        -- Only request roles, owner roles and taxclaims_api may run every SECURITY DEFINER function; taxclaims_auditor
        -- may run the functions of schema audit.
        coalesce(h.purpose in ('request', 'back'), false)
        or coalesce(h.name = 'taxclaims_api', false)
        or coalesce(h.name = 'taxclaims_auditor' and f.for_auditors, false)
    );

comment on view audit.finding_definer_within_reach is
    'A login other than the API''s can run a function with the rights of the function''s owner. Cause: a grant of '
    'EXECUTE, or the default right of PUBLIC to a new function. Mend: revoke the right, or write the reason into '
    'db/audit/facts/known.sql.';
