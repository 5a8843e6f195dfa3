create view audit.finding_function_unbounded with (security_invoker) as
select
    'error' as level,
    f.object,
    pg_catalog.format(
        'is written in %s, which no right or policy limits, and these roles call or trigger it: %s',
        f.language,
        pg_catalog.string_agg(f.role, ', ' order by f.role)
    ) as detail,
    case
        when exists (select from pg_catalog.pg_trigger as t where t.tgfoid = f.oid)
            then 'read the function, and drop its triggers: a trigger needs no right to run it'
        else pg_catalog.format(
            'revoke execute on function %s from public%s;',
            f.object,
            pg_catalog.string_agg(', ' || pg_catalog.quote_ident(f.role), '' order by f.role) filter (where f.role_oid <> 0)
        )
    end as remedy,
    case
        when not audit.may_act_as(f.owner_oid)
            then 'the provider''s function is bound by no policy: read what its page says, and use a database without it where there is one'
    end as provider
from audit.policy_bypassing_functions as f
where f.is_unbounded and not f.runs_as_owner and f.role_oid is not null
group by f.oid, f.object, f.language, f.owner_oid;

comment on view audit.finding_function_unbounded is
    'A login can run code in the server that reads any table, memory or file. Cause: a function in C or an untrusted '
    'language. Mend: revoke EXECUTE.';
