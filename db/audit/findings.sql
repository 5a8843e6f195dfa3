-- Creates audit.list_all_findings, which returns the rows of all views in db/audit/findings. audit.list_all_findings is
-- a function, because a view cannot turn jit off, and JIT compilation takes far longer than the query.
do $findings$
declare
    one_by_one text;
begin
    select
        pg_catalog.string_agg(
            pg_catalog.format(
                'select %L::text, f.level, f.object::text, f.detail::text, f.remedy::text from audit.%I as f',
                pg_catalog.substr(c.relname, 9),
                c.relname
            ),
            ' union all '
            order by c.relname
        )
    into one_by_one
    from pg_catalog.pg_class as c
    where c.relnamespace = 'audit'::regnamespace and c.relkind = 'v' and c.relname like 'finding\_%';

    execute pg_catalog.format(
        $function$
        create function audit.list_all_findings()
            returns table (finding text, level text, object text, detail text, remedy text)
            language sql stable rows 100
            set jit = off
            set search_path = ''
        begin atomic
            %s;
        end
        $function$,
        one_by_one
    );
end
$findings$;

comment on function audit.list_all_findings() is
    'All audit findings, including those in audit.exceptions and accepted ones. For audit.findings.';

create view audit.findings_before_exceptions with (security_invoker) as
select
    f.finding, f.level, f.object, f.detail, f.remedy
from audit.list_all_findings() as f
-- audit.findings_before_exceptions hides the finding about search_path if the connected program set search_path.
-- audit.list_all_findings runs with its own search_path, so it cannot see who set the search_path of the session.
where not (
    f.finding = 'setting_of_server'
    and f.object = 'search_path'
    and exists (select from pg_catalog.pg_settings as s where s.name = 'search_path' and s.source = 'client')
);

comment on view audit.findings_before_exceptions is
    'All audit findings, including those that audit.exceptions lists as intended.';

create view audit.findings_before_acceptance with (security_invoker) as
select
    f.level, f.finding, f.object, f.detail, f.remedy
from audit.findings_before_exceptions as f
where not exists (
    select
    from audit.exceptions as e
    where e.finding = f.finding and f.object like e.object
);

comment on view audit.findings_before_acceptance is
    'Audit findings that audit.exceptions does not list, including findings that a DBA accepted.';

create view audit.findings with (security_invoker) as
select
    f.level, f.finding, f.object, f.detail, f.remedy
from audit.findings_before_acceptance as f
where not exists (
    select
    from audit.acceptances as a
    where a.withdrawn_at is null
        and a.what = f.finding
        and a.object = f.object
        and a.as_it_stood = f.level || ': ' || f.detail
)
order by f.level, f.finding, f.object;

comment on view audit.findings is
    'Errors and weaknesses of this database, each with the statement that corrects it. The comment on a view '
    'audit.finding_… explains the finding of that name.';
