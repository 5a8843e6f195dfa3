-- All findings in one: empty when all is well. Each file under findings/ is one view of the same four columns,
-- and one that is added there is counted here by itself.
do $findings$
declare
    one_by_one text;
begin
    select
        pg_catalog.string_agg(
            pg_catalog.format(
                'select %L::text as finding, level, object::text, detail::text, remedy::text from audit.%I',
                pg_catalog.substr(c.relname, 9),
                c.relname
            ),
            ' union all '
            order by c.relname
        )
    into one_by_one
    from pg_catalog.pg_class as c
    where c.relnamespace = 'audit'::regnamespace and c.relkind = 'v' and c.relname like 'finding\_%';

    -- What each file finds, the exceptions included: to read the exceptions against what they excuse.
    execute 'create view audit.findings_before_exceptions with (security_invoker) as ' || one_by_one;
    execute (
        select pg_catalog.string_agg(pg_catalog.format('grant select on audit.%I to taxclaims_auditor', c.relname), ';')
        from pg_catalog.pg_class as c
        where c.relnamespace = 'audit'::regnamespace and c.relname like 'finding%'
    );
end
$findings$;

create view audit.findings with (security_invoker) as
select
    f.level,
    f.finding,
    f.object,
    f.detail,
    f.remedy
from audit.findings_before_exceptions as f
where not exists (
    select
    from audit.exceptions as e
    where e.finding = f.finding and f.object like e.object
)
order by f.level, f.finding, f.object;

grant select on audit.findings to taxclaims_auditor;
