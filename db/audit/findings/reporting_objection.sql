create view audit.finding_reporting_objection with (security_invoker) as
with granted as (
    select
        g.login,
        g.login_oid,
        'select reporting.revoke_client(g.login, g.client_id) from reporting.grants as g where g.login = %L;' as remedy
    from reporting.grants as g
    group by g.login, g.login_oid
    union all
    select l.name, l.oid, 'select reporting.revoke_all_clients(%L);'
    from audit.logins as l
    -- The audit finding login_reaches_house_role reports logins outside taxclaims_reporting that have
    -- taxclaims_reporting_all.
    where l.has_all_clients and l.groups = array['taxclaims_reporting']::name[]
)
select
    -- Nobody can use a grant to a dropped login, unless somebody calls reporting.adopt_grants for a new login with the
    -- same name.
    case when not held.holds then 'warning' else 'error' end as level,
    g.login as object,
    case when held.holds then held.objection else 'has grants, and ' || coalesce(held.objection, 'is not the login that got them') end as detail,
    pg_catalog.format(g.remedy, g.login) as remedy
from granted as g
cross join lateral (
    select
        reporting.find_login_refusal_reason(g.login) as objection,
        coalesce(g.login_oid = pg_catalog.to_regrole(pg_catalog.quote_ident(g.login))::oid, false) as holds
) as held
where held.objection is not null or not held.holds;

comment on view audit.finding_reporting_objection is
    'A reporting login can see more than its grants, or a new role has the name of a dropped login that has grants. '
    'Cause: the login got an attribute or a membership, or was dropped and made anew. Mend: revoke the login''s '
    'clients, or correct the login.';
