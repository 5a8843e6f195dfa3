create view audit.login_powers with (security_invoker) as
select
    l.oid as login_oid,
    l.rolname as login,
    reached.by_oid,
    by_role.rolname as by_role,
    pg_catalog.array_agg(distinct p.power order by p.power) as powers
from pg_catalog.pg_roles as l
join audit.reached_roles as reached on reached.role_oid = l.oid
join audit.role_powers as p on p.role_oid = reached.reached_oid
join pg_catalog.pg_database as d on d.datname = pg_catalog.current_database()
left join pg_catalog.pg_roles as by_role on by_role.oid = reached.by_oid
where l.rolcanlogin
    and not l.rolsuper
    and (p.everywhere or pg_catalog.has_database_privilege(l.oid, d.oid, 'CONNECT'))
    -- The administrator needs CREATEROLE, pg_signal_backend and pg_read_all_stats for a deploy.
    and not (l.oid in (select a.oid from audit.administrators() as a) and p.power in ('CREATEROLE', 'pg_signal_backend', 'pg_read_all_stats'))
group by l.oid, l.rolname, reached.by_oid, by_role.rolname;

comment on view audit.login_powers is 'Logins, except superusers, with a power that no policy limits.';
comment on column audit.login_powers.powers is
    'Powers that the login has or can gain: attributes of roles such as BYPASSRLS, and predefined roles of Postgres.';

create view audit.superusers with (security_invoker) as
select
    r.oid,
    r.rolname as name,
    r.oid = 10 as is_first,
    array(
        select l.rolname
        from audit.reached_roles as reached
        join pg_catalog.pg_roles as l on l.oid = reached.role_oid and l.rolcanlogin
        where reached.reached_oid = r.oid
        order by l.rolname
    ) as become_by
from pg_catalog.pg_roles as r
where r.rolsuper
    and (
        r.rolcanlogin
        or exists (
            select
            from audit.reached_roles as reached
            join pg_catalog.pg_roles as l on l.oid = reached.role_oid and l.rolcanlogin
            where reached.reached_oid = r.oid
        )
    );

comment on view audit.superusers is
    'Superusers that can log in or that a login can become. No policy applies to a superuser.';
comment on column audit.superusers.is_first is 'True for the superuser that initdb created.';
comment on column audit.superusers.become_by is
    'Logins that can become the superuser. audit.findings reports each of these logins.';

-- audit.database_owners leaves out the administrator, who is in taxclaims_owner and in no group role.
create view audit.database_owners with (security_invoker) as
select
    l.oid as login_oid,
    l.rolname as login,
    reached.by_oid,
    case when reached.by_oid is null then 'owns the database' else 'can become ' || owner.rolname || ', who owns the database' end as reason
from pg_catalog.pg_database as d
join pg_catalog.pg_roles as owner on owner.oid = d.datdba and not owner.rolsuper
join audit.reached_roles as reached on reached.reached_oid = d.datdba
join pg_catalog.pg_roles as l on l.oid = reached.role_oid and l.rolcanlogin
where d.datname = pg_catalog.current_database()
    and not exists (select from audit.house_roles as h where h.oid = d.datdba)
    and not (
        l.oid in (select a.oid from audit.administrators() as a)
        and exists (
            select
            from audit.memberships as m
            join audit.house_roles as h on h.oid = m.role_oid and h.name = 'taxclaims_owner'
            where m.member_oid = l.oid
        )
        and not exists (
            select
            from audit.memberships as m
            join audit.house_roles as h on h.oid = m.role_oid and h.purpose in ('group', 'addition')
            where m.member_oid = l.oid and not m.admin_option
        )
    );

comment on view audit.database_owners is
    'Logins that own the database or can become its owner, except the administrator.';

create view audit.logins_that_can_become_logins with (security_invoker) as
select
    l.oid as login_oid,
    l.rolname as login,
    other.name as other,
    'revoke ' || m.revoked || ';' as remedy,
    m.grantor_oid
from audit.reached_roles as reached
join pg_catalog.pg_roles as l on l.oid = reached.role_oid and l.rolcanlogin
join audit.logins as other on other.oid = reached.reached_oid and other.oid <> l.oid
join audit.memberships as m on m.member_oid = l.oid and m.role_oid = reached.by_oid
where l.oid not in (select a.oid from audit.administrators() as a)
    -- The audit finding database_owner reports logins that can become an administrator.
    and other.oid not in (select a.oid from audit.administrators() as a);

comment on view audit.logins_that_can_become_logins is 'Logins that can become another login of this database.';
comment on column audit.logins_that_can_become_logins.grantor_oid is 'Role that granted the membership.';
comment on column audit.logins_that_can_become_logins.other is 'Name of the login that the login in login_oid can become.';
