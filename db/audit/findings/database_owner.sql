create view audit.finding_database_owner with (security_invoker) as
select
    'error' as level,
    o.login as object,
    o.reason as detail,
    case
        when audit.may_act_as(10)
            then pg_catalog.format('alter database %I owner to %I;', pg_catalog.current_database(), pg_catalog.pg_get_userbyid(10))
        else taken.away
    end as remedy,
    case
        when audit.is_surrounding_role(o.login_oid) or o.by_oid is not null and not coalesce(taken.is_possible, false)
            then 'a login of the provider can do anything in this database: let nobody else have its password'
    end as provider
from audit.database_owners as o
cross join lateral (
    select
        pg_catalog.string_agg('revoke ' || m.revoked || ';', ' ' order by m.revoked) as away,
        pg_catalog.bool_or(audit.may_act_as(m.grantor_oid)) as is_possible
    from audit.memberships as m
    where m.member_oid = o.login_oid and m.role_oid = o.by_oid
) as taken;

comment on view audit.finding_database_owner is
    'A login can do anything in the database and give others access. Cause: create or alter database … owner. Mend: '
    'make a superuser or the administrator the owner of the database.';
