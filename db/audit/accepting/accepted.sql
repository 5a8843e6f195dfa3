create view audit.standing with (security_invoker) as
select
    f.finding as what,
    f.object,
    f.level || ': ' || f.detail as as_it_stands
from audit.findings_before_acceptance as f
union all
select
    d.kind,
    d.object,
    d.as_it_stands
from audit.drift_before_acceptance as d;

comment on view audit.standing is
    'Each finding and each drift as it stands now, accepted or not: what audit.accept can accept.';
comment on column audit.standing.as_it_stands is
    'The finding''s level and detail, or the drift''s change and present definition.';
comment on column audit.standing.what is 'The name of the finding, or the kind of the drift.';

create view audit.accepted with (security_invoker) as
select
    a.what,
    a.object,
    a.reason,
    a.accepted_by,
    a.accepted_at,
    a.as_it_stood,
    exists (
        select
        from audit.standing as s
        where s.what = a.what and s.object = a.object and s.as_it_stands = a.as_it_stood
    ) as still_stands
from audit.acceptances as a
where a.withdrawn_at is null;

comment on view audit.accepted is
    'What audit.findings and audit.drift leave out because this deployment means it: audit.accept and audit.withdraw '
    'write it, and deploys keep it. audit.acceptances has those too that were withdrawn.';
comment on column audit.accepted.still_stands is
    'False where it is gone, or has become another and is said again: it may be withdrawn.';

-- What is made until here is for auditors: every view, and every function but what the doors of the request roles run.
do $auditors$
declare
    command text;
begin
    for command in
        select pg_catalog.format('grant select on %s to taxclaims_auditor', c.oid::regclass)
        from pg_catalog.pg_class as c
        where c.relnamespace = 'audit'::regnamespace and c.relkind = 'v'
        union all
        select pg_catalog.format('grant execute on function %s to taxclaims_auditor', f.oid::regprocedure)
        from pg_catalog.pg_proc as f
        where f.pronamespace = 'audit'::regnamespace
            and f.proowner = 'taxclaims_owner'::regrole
            and f.proname <> 'attempt'
    loop
        execute command;
    end loop;
end
$auditors$;
