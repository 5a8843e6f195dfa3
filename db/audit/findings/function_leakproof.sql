create view audit.finding_function_leakproof with (security_invoker) as
select distinct
    'error' as level,
    f.object,
    'is declared leakproof: Postgres may run it on rows before policies hide them' as detail,
    pg_catalog.format('alter function %s not leakproof;', f.object) as remedy,
    case
        when not audit.may_act_as(f.owner_oid)
            then 'the provider''s function may see rows before the policies: read what its page says, and use a database without it where there is one'
    end as provider
from audit.policy_bypassing_functions as f
where f.is_leakproof;

comment on view audit.finding_function_leakproof is
    'A leakproof function may run on rows that policies hide, and can show them to its caller. Cause: create or alter '
    'function … leakproof. Mend: declare the function not leakproof.';
