-- The views of this file include a membership even if the member does not inherit the rights of the role. A member
-- without INHERIT can use SET ROLE; a member with only ADMIN OPTION can use GRANT, then SET ROLE.

create view audit.memberships with (security_invoker) as
select
    m.roleid as role_oid,
    m.member as member_oid,
    m.grantor as grantor_oid,
    m.admin_option,
    -- Since Postgres 16 the REVOKE of a membership must name its grantor.
    pg_catalog.format(
        '%I from %I%s',
        r.rolname,
        member.rolname,
        case
            when pg_catalog.current_setting('server_version_num')::integer >= 160000
                then pg_catalog.format(' granted by %I', grantor.rolname)
        end
    ) as revoked
from pg_catalog.pg_auth_members as m
join pg_catalog.pg_roles as r on r.oid = m.roleid
join pg_catalog.pg_roles as member on member.oid = m.member
left join pg_catalog.pg_roles as grantor on grantor.oid = m.grantor;

comment on view audit.memberships is 'Memberships of roles.';
comment on column audit.memberships.member_oid is 'Member, in pg_roles.';
comment on column audit.memberships.grantor_oid is 'Grantor, in pg_roles.';
comment on column audit.memberships.admin_option is 'True if the member may grant the role to others.';
comment on column audit.memberships.revoked is 'Text after REVOKE in the statement that ends the membership.';

-- audit.reached_roles ends a chain of memberships at a superuser, who has every right.
create view audit.reached_roles with (security_invoker) as
with recursive members as (
    select m.role_oid, m.member_oid from audit.memberships as m
    union all
    select r.oid, d.datdba
    from pg_catalog.pg_database as d
    join pg_catalog.pg_roles as r on r.rolname = 'pg_database_owner'
    where d.datname = pg_catalog.current_database()
), reached as (
    select r.oid as role_oid, r.oid as reached_oid, null::oid as by_oid, r.rolsuper as is_end
    from pg_catalog.pg_roles as r
    where not r.rolsuper
    union
    select s.role_oid, m.role_oid, coalesce(s.by_oid, m.role_oid), r.rolsuper
    from reached as s
    join members as m on m.member_oid = s.reached_oid
    join pg_catalog.pg_roles as r on r.oid = m.role_oid
    where not s.is_end
)
select
    r.role_oid,
    r.reached_oid,
    r.by_oid
from reached as r;

comment on view audit.reached_roles is 'Roles that a role reaches through any chain of memberships.';
comment on column audit.reached_roles.reached_oid is 'Oid of the reached role; every role also reaches itself.';
comment on column audit.reached_roles.role_oid is 'Oid of the role that reaches reached_oid; superusers have no rows.';

create view audit.roles_that_may_see_rows with (security_invoker) as
select r.oid
from pg_catalog.pg_roles as r
where r.rolsuper
union
select r.role_oid
from audit.reached_roles as r
where r.reached_oid in (
    select p.role_oid from audit.role_powers as p
    union all
    select h.oid from audit.house_roles as h
    union all
    select d.datdba from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database()
    union all
    select x.grantee_oid
    from pg_catalog.pg_class as c
    join audit.house_schemas as s on s.oid = c.relnamespace
    join audit.relation_rights as x on x.relation_oid = c.oid
);

comment on view audit.roles_that_may_see_rows is
    'Roles that may see rows of this application: superusers, and each role that reaches the database owner, a role in '
    'audit.role_powers, a role of this application, or a role with rights to the application''s tables.';
