create view audit.finding_database_copied with (security_invoker) as
select
    'error' as level,
    d.datname as object,
    'is a template: a login with CREATEDB may copy every row and own the copy' as detail,
    pg_catalog.format('alter database %I is_template false;', d.datname) as remedy
from pg_catalog.pg_database as d
where d.datname = pg_catalog.current_database() and d.datistemplate;

comment on view audit.finding_database_copied is
    'A login with CREATEDB can copy the whole database. Cause: alter database … is_template. Mend: set is_template to '
    'false.';
