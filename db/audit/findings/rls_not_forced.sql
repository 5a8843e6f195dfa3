create view audit.finding_rls_not_forced with (security_invoker) as
select
    'error' as level,
    t.name as object,
    'row-level security does not hold the owner, ' || pg_catalog.pg_get_userbyid(t.owner) as detail,
    pg_catalog.format('alter table %s force row level security;', t.name) as remedy
from audit.house_tables as t
where not t.forced;

comment on view audit.finding_rls_not_forced is
    'The policies do not apply to functions and views of the table''s owner. Cause: a table made or restored without '
    'FORCE. Mend: force row-level security.';
