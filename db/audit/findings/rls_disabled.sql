create view audit.finding_rls_disabled with (security_invoker) as
select
    'error' as level,
    t.name as object,
    'row-level security is off' as detail,
    pg_catalog.format('alter table %s enable row level security;', t.name) as remedy
from audit.house_tables as t
where not t.row_security;

comment on view audit.finding_rls_disabled is
    'Every role with a grant reads the rows of all tenants. Cause: alter table … disable row level security. Mend: '
    'enable row-level security.';
