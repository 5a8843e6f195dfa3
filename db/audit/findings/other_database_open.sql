-- Every role can connect to a database on which PUBLIC has CONNECT. By default PUBLIC has CONNECT on the databases
-- postgres and template1, so the view warns only if a login owns an object in one of them.
create view audit.finding_other_database_open with (security_invoker) as
select
    'warning' as level,
    d.datname as object,
    pg_catalog.format('these logins own objects there: %s', pg_catalog.string_agg(distinct l.name, ', ' order by l.name)) as detail,
    pg_catalog.format('revoke connect, temporary on database %I from public;', d.datname) as remedy,
    case
        when not audit.may_act_as(d.datdba)
            then pg_catalog.format('every login of this server can enter %s and store data there, but sees no row of this database', d.datname)
    end as provider
from pg_catalog.pg_database as d
join pg_catalog.pg_shdepend as owned
    on owned.dbid = d.oid
    and owned.refclassid = 'pg_catalog.pg_authid'::regclass
    and owned.deptype = 'o'
join audit.logins as l on l.oid = owned.refobjid
where d.datname in ('postgres', 'template1')
    and d.datname <> pg_catalog.current_database()
    and d.datallowconn
    and pg_catalog.cardinality(l.groups) > 0
    and not l.is_administrator
    and exists (
        select
        from pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) as x
        where x.grantee = 0 and x.privilege_type = 'CONNECT'
    )
group by d.datname, d.datdba;

comment on view audit.finding_other_database_open is
    'A login has large objects or tables in another database of the server, where no limit of this database applies. '
    'Cause: the default CONNECT of PUBLIC on postgres and template1. Mend: revoke CONNECT from PUBLIC, grant it to '
    'logins that need it, and drop the login''s objects in the other database.';
