-- Roles belong to the whole cluster: a login of the house enters every database that PUBLIC may enter. postgres and
-- template1 are open from the start; others are whoever's they are, and not asked here.
create view audit.finding_other_database_open with (security_invoker) as
select
    'warning' as level,
    d.datname as object,
    'may be entered by every login of the cluster' as detail,
    pg_catalog.format('revoke connect, temporary on database %I from public;', d.datname) as remedy
from pg_catalog.pg_database as d
where d.datname in ('postgres', 'template1')
    and d.datname <> pg_catalog.current_database()
    and d.datallowconn
    and exists (
        select
        from pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) as x
        where x.grantee = 0 and x.privilege_type = 'CONNECT'
    );

comment on view audit.finding_other_database_open is
    'A login of the house keeps files, large objects and temporary tables on the server''s disk, outside every limit of '
    'this database, and reads the names of roles and databases. Postgres is made so. Mend: revoke connect once, and grant '
    'it to those who need it, such as monitoring; or accept it where others use the cluster.';
