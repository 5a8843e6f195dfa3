create view audit.finding_helper_not_stable with (security_invoker) as
select distinct
    'error' as level,
    f.oid::regprocedure::text as object,
    pg_catalog.format(
        'is %s, although a policy calls it',
        case f.provolatile when 'i' then 'immutable' else 'volatile' end
    ) as detail,
    pg_catalog.format('alter function %s stable;', f.oid::regprocedure) as remedy
from pg_catalog.pg_depend as d
join audit.policies as p on p.oid = d.objid
join pg_catalog.pg_proc as f on f.oid = d.refobjid
where d.classid = 'pg_catalog.pg_policy'::regclass
    and d.refclassid = 'pg_catalog.pg_proc'::regclass
    and f.provolatile <> 's';

comment on view audit.finding_helper_not_stable is
    'Postgres may reuse an immutable function''s result for the next tenant, and runs a volatile function for every '
    'row. Cause: a function of a policy is declared immutable or volatile. Mend: declare the function stable.';
