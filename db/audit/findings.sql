-- All findings in one: empty when all is well. Each file under findings/ is one view of the same four columns,
-- and one that is added there is counted here by itself.
-- In a function, for a view cannot say that it is not to be compiled: Postgres expects much of all findings together and
-- would compile them for many times as long as they then take, on a database with a few objects or with thousands.
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
        create function audit.found()
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

comment on function audit.found() is
    'All findings, the excused ones too, worked out without being compiled. Serves audit.findings.';

create view audit.findings_before_exceptions with (security_invoker) as
select
    f.finding, f.level, f.object, f.detail, f.remedy
from audit.found() as f
-- audit.found sets a path of its own, and cannot tell one that its asker came with from the server's.
where not (
    f.finding = 'setting_of_server'
    and f.object = 'search_path'
    and exists (select from pg_catalog.pg_settings as s where s.name = 'search_path' and s.source = 'client')
);

comment on view audit.findings_before_exceptions is 'All findings, those too that audit.exceptions excuses.';

create view audit.findings_before_acceptance with (security_invoker) as
select
    f.level, f.finding, f.object, f.detail, f.remedy
from audit.findings_before_exceptions as f
where not exists (
    select
    from audit.exceptions as e
    where e.finding = f.finding and f.object like e.object
);

comment on view audit.findings_before_acceptance is 'All findings but those that are meant everywhere; those that audit.accepted lists too.';

-- What was accepted was accepted as it stood: once it is another, it is a finding again.
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
    'What is wrong in this database, and the statement that mends it; empty when all is well. The comment of each '
    'audit.finding_… explains the finding.';
