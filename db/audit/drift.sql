-- Logins and their memberships are the deployment's and stand not here.
create view audit.drift_before_acceptance with (security_invoker) as
select d.*, d.change || coalesce(': ' || d.present, '') as as_it_stands
from (
    select
        coalesce(now_.kind, applied.kind) as kind,
        coalesce(now_.object, applied.object) as object,
        case
            when applied.kind is null then 'added'
            when now_.kind is null then 'removed'
            else 'changed'
        end as change,
        applied.definition as applied,
        now_.definition as present
    from audit.state() as now_
    full join audit.applied as applied on applied.kind = now_.kind and applied.object = now_.object
    where now_.definition is distinct from applied.definition
        and not (
            applied.kind is null
            and now_.kind in (select k.kind from audit.state_kinds as k where k.may_be_added)
        )
) as d;

-- What was accepted was accepted as it stood: once it is another, it is drift again.
create view audit.drift with (security_invoker) as
select
    d.kind, d.object, d.change, d.applied, d.present
from audit.drift_before_acceptance as d
where not exists (
    select
    from audit.acceptances as a
    where a.withdrawn_at is null
        and a.what = d.kind
        and a.object = d.object
        and a.as_it_stood = d.as_it_stands
);

comment on view audit.drift_before_acceptance is
    'What differs from what the repository declares, that too which audit.accepted lists.';
comment on view audit.drift is
    'What differs from what the repository declares: somebody changed it by hand. Empty when nothing does.';

comment on column audit.drift_before_acceptance.as_it_stands is
    'Change and present definition: what audit.accept keeps, and what an acceptance is for.';
