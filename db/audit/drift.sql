-- Logins and their memberships are the deployment's choice, so this view does not compare them.
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
            and now_.kind in (select k.kind from audit.kinds_of_state() as k where k.may_be_added)
        )
) as d;

-- An acceptance is for one definition. If the object changes again, the view reports it again.
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
    'Differences between the database and the repository''s declared state, including accepted ones.';
comment on view audit.drift is
    'Differences between the database and the repository''s declared state, made by hand. The view is empty if '
    'the database is as declared.';

comment on column audit.drift_before_acceptance.as_it_stands is
    'Change and present definition, as audit.accept stores them.';
