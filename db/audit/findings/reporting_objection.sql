create view audit.finding_reporting_objection with (security_invoker) as
with granted as (
    select distinct g.login, g.login_oid
    from reporting.grants as g
    union
    select l.name, l.oid
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
    case
        when not held.holds
            then pg_catalog.format('select reporting.revoke_client(g.login, g.client_id) from reporting.grants as g where g.login = %L;', g.login)
        else coalesce(
            nullif(pg_catalog.concat_ws(' ', attributes.taken, memberships.taken), ''),
            'put the login right as the detail says, or take its clients away with reporting.revoke_client'
        )
    end as remedy
from granted as g
cross join lateral (
    select
        reporting.find_login_refusal_reason(g.login) as objection,
        coalesce(g.login_oid = pg_catalog.to_regrole(pg_catalog.quote_ident(g.login))::oid, false) as holds
) as held
left join lateral (
    select 'alter role ' || pg_catalog.quote_ident(r.rolname) || pg_catalog.string_agg(' no' || attribute.name, '') || ';' as taken
    from pg_catalog.pg_roles as r
    cross join lateral (
        values ('superuser', r.rolsuper), ('bypassrls', r.rolbypassrls), ('createrole', r.rolcreaterole), ('replication', r.rolreplication)
    ) as attribute (name, is_held)
    where r.rolname = g.login and attribute.is_held
    group by r.rolname
) as attributes on true
left join lateral (
    select pg_catalog.string_agg('revoke ' || m.revoked || ';', ' ' order by m.revoked) as taken
    from audit.memberships as m
    where m.member_oid = g.login_oid
        and exists (select from reporting.find_forbidden_roles(m.role_oid))
) as memberships on true
where held.objection is not null or not held.holds;

comment on view audit.finding_reporting_objection is
    'A reporting login can see more than its grants, or a new role has the name of a dropped login that has grants. '
    'Cause: the login got an attribute or a membership, or was dropped and made anew. Mend: take the '
    'attribute or the membership away; revoke the clients of a dropped login.';
