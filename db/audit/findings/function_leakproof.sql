create view audit.finding_function_leakproof with (security_invoker) as
select distinct
    'error' as level,
    f.object,
    'is declared leakproof: a query may show it rows that policies then hide' as detail,
    pg_catalog.format('alter function %s not leakproof;', f.object) as remedy
from audit.foreign_functions as f
where f.is_leakproof;

comment on view audit.finding_function_leakproof is
    'A leakproof function sees rows that policies hide, and its caller learns of them. Comes of create or alter '
    'function … leakproof. Mend: not leakproof.';
