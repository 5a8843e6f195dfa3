create view audit.finding_database_owner with (security_invoker) as
select
    'error' as level,
    o.login as object,
    o.reason as detail,
    pg_catalog.format('alter database %I owner to %I;', pg_catalog.current_database(), pg_catalog.pg_get_userbyid(10)) as remedy
from audit.database_owners as o;

comment on view audit.finding_database_owner is
    'A login makes what it likes in the database and lets others in. Comes of create database … owner, or of alter '
    'database … owner to. Mend: give it to a superuser, or to the administrator who applies it.';
