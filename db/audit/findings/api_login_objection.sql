-- GET /health asks the same function. A superuser counts only as a direct member of taxclaims_api.
create view audit.finding_api_login_objection with (security_invoker) as
select
    'error' as level,
    r.rolname::text as object,
    'GET /health is 503 through it: ' || pg_catalog.string_agg(o.objection, '; ' order by o.objection) as detail,
    'take from the login what is said: it is a member of taxclaims_api and has nothing else' as remedy
from pg_catalog.pg_roles as r
cross join lateral app.login_objections(r.rolname) as o (objection)
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
    'GET /health answers 503 for this login, which has more or fewer rights than a member of taxclaims_api. Comes of '
    'an attribute, membership, setting or object of the login. Mend: take that back.';
