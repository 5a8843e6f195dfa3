-- What a login may become counts, inherited or not.
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
    r.oid = d.datdba as is_administrator,
    -- By a role of its own, beside its group: see reporting.grant_all_clients.
    exists (
        select
        from audit.house_roles as h
        where h.name = 'taxclaims_reporting_all' and pg_catalog.pg_has_role(r.oid, h.oid, 'USAGE')
    ) as has_all_clients,
    -- As db/README.md makes one: in taxclaims_owner itself, without ADMIN, and in nothing else.
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

comment on view audit.logins is 'Who can connect to this database, superusers apart.';
comment on column audit.logins.groups is 'The groups of the house that it is in, inherited or not.';
comment on column audit.logins.is_administrator is 'Whether it owns the database.';
comment on column audit.logins.has_all_clients is 'Whether it reads every client, by reporting.grant_all_clients.';
comment on column audit.logins.is_dba is
    'Whether it is a DBA''s, as db/README.md makes one: a member of taxclaims_owner, and of nothing else.';
