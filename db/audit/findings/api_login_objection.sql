-- GET /health and this view call app.list_login_refusal_reasons. The view checks only those superusers that are direct
-- members of taxclaims_api.
create view audit.finding_api_login_objection with (security_invoker) as
select
    'error' as level,
    r.rolname::text as object,
    'GET /health answers 503 through this login: ' || pg_catalog.string_agg(o.objection, '; ' order by o.objection) as detail,
    'remove from the login all that the detail names, so that the login is only a member of taxclaims_api' as remedy
from pg_catalog.pg_roles as r
cross join lateral app.list_login_refusal_reasons(r.rolname) as o (objection)
where r.rolcanlogin
    and case
        when r.rolsuper then exists (
            select
            from pg_catalog.pg_auth_members as m
            join audit.house_roles as h on h.oid = m.roleid and h.name = 'taxclaims_api'
            where m.member = r.oid
        )
        else exists (select from audit.logins as l where l.oid = r.oid and 'taxclaims_api' = any (l.groups) and not l.is_administrator)
    end
group by r.rolname;

comment on view audit.finding_api_login_objection is
    'A login of the API has a right or setting that it must not have, or lacks a needed right, so GET /health answers '
    '503. Cause: an attribute, a membership, a setting or an object of the login. Mend: remove what the detail names.';
