create view audit.finding_database_owner with (security_invoker) as
select
    'error' as level,
    o.login as object,
    o.reason as detail,
    pg_catalog.format('alter database %I owner to %I;', pg_catalog.current_database(), pg_catalog.pg_get_userbyid(10)) as remedy
from audit.database_owners as o;

comment on view audit.finding_database_owner is
    'A login can do anything in the database and give others access. Cause: create or alter database … owner. Mend: '
    'make a superuser or the administrator the owner of the database.';
