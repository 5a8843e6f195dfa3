create view audit.logins with (security_invoker) as
select
    r.oid,
    r.rolname as name,
    array(
        select h.name
        from audit.house_roles as h
        where h.purpose = 'group' and pg_catalog.pg_has_role(r.oid, h.oid, 'MEMBER')
        order by h.name
    ) as groups,
    r.oid in (select a.oid from audit.administrators() as a) as is_administrator,
    exists (
        select
        from audit.house_roles as h
        where h.name = 'taxclaims_reporting_all' and pg_catalog.pg_has_role(r.oid, h.oid, 'USAGE')
    ) as has_all_clients,
    -- A DBA's login is a member of only one role, taxclaims_owner, and has no ADMIN OPTION, as db/README.md describes.
    coalesce(
        (
            select pg_catalog.bool_and(g.rolname = 'taxclaims_owner' and not m.admin_option)
            from pg_catalog.pg_auth_members as m
            join pg_catalog.pg_roles as g on g.oid = m.roleid
            where m.member = r.oid
        ),
        false
    ) as is_dba
from pg_catalog.pg_roles as r
join pg_catalog.pg_database as d on d.datname = pg_catalog.current_database()
where r.rolcanlogin
    and not r.rolsuper
    and pg_catalog.has_database_privilege(r.oid, d.oid, 'CONNECT');

comment on view audit.logins is 'Logins that can connect to this database, except superusers.';
comment on column audit.logins.groups is
    'Group roles of this application of which the login is a member, with or without inheriting their rights.';
comment on column audit.logins.is_administrator is 'True if the login owns the database, or deploys as a member of the role that owns it.';
comment on column audit.logins.has_all_clients is 'True if reporting.grant_all_clients gave the login every client.';
comment on column audit.logins.is_dba is 'True for a login whose only role is taxclaims_owner.';
