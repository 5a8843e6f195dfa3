create view audit.all_findings_and_drift with (security_invoker) as
select
    f.finding as what,
    f.object,
    f.level || ': ' || f.detail as as_it_stands
from audit.findings_before_acceptance as f
union all
-- audit.accept_home accepts this row, and audit.findings compares it in the same form.
select
    'home',
    'what only the provider can mend',
    pg_catalog.string_agg(h.line, E'\n' order by h.line collate "C")
from (
    select pg_catalog.format('%s: %s %s: %s', f.level, f.finding, f.object, f.detail) as line
    from audit.findings_before_acceptance as f
    where f.who = 'provider'
) as h
having pg_catalog.count(*) > 0
union all
select
    d.kind,
    d.object,
    d.as_it_stands
from audit.drift_before_acceptance as d;

comment on view audit.all_findings_and_drift is
    'All audit findings and differences from the declared state, even accepted ones. audit.accept reads this view.';
comment on column audit.all_findings_and_drift.as_it_stands is
    'For an audit finding, its level and detail; for a difference, its kind and the object''s present definition.';
comment on column audit.all_findings_and_drift.what is
    'Name of the audit finding, or kind of the object that differs from the declared state.';

create function audit.list_accepted()
    returns table (
        what text, object text, reason text, accepted_by name, accepted_at timestamp with time zone, as_it_stood text,
        still_stands boolean
    )
    language plpgsql stable rows 100
    set jit = off
    set row_security = on
    -- As AUDIT_LOCK_TIMEOUT_MS in src/limits.ts.
    set lock_timeout = '2s'
    set search_path = ''
as $body$
begin
    return query
    select
        a.what,
        a.object,
        a.reason,
        a.accepted_by,
        a.accepted_at,
        a.as_it_stood,
        exists (
            select
            from audit.all_findings_and_drift as s
            where s.what = a.what and s.object = a.object and s.as_it_stands = a.as_it_stood
        )
    from audit.acceptances as a
    where a.withdrawn_at is null;
exception
    when lock_not_available then
        perform audit.refuse_locked('audit.accepted');
end
$body$;

comment on function audit.list_accepted() is 'The rows of the view audit.accepted.';

create view audit.accepted with (security_invoker) as
select
    a.what, a.object, a.reason, a.accepted_by, a.accepted_at, a.as_it_stood, a.still_stands
from audit.list_accepted() as a;

comment on view audit.accepted is
    'Audit findings and differences from the declared state that a DBA accepted with audit.accept. A deploy does not '
    'delete acceptances. audit.acceptances also lists acceptances that audit.withdraw ended.';
comment on column audit.accepted.as_it_stood is
    'The finding or difference as it was accepted: for a finding, its level and detail; for a difference, what had '
    'changed and the object''s definition.';
comment on column audit.accepted.accepted_by is 'Database login that called audit.accept.';
comment on column audit.accepted.accepted_at is 'Time at which audit.accept was called.';
comment on column audit.accepted.still_stands is
    'False if the accepted audit finding or difference no longer exists or has changed.';

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
            and f.proname <> 'attempt_command'
    loop
        execute command;
    end loop;
end
$auditors$;
