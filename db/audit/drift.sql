-- Each deployment has its own logins and memberships of logins, so the repository does not declare logins and
-- audit.drift does not report them.
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
    full join (
        -- Of the surroundings that a first deploy on a bought Postgres recorded, audit.state() has these kinds.
        select
            pg_catalog.regexp_replace(a.kind, '^earlier (default privileges|publication|published table|published schema)$', '\1') as kind,
            a.object, a.definition
        from audit.applied as a
    ) as applied on applied.kind = now_.kind and applied.object = now_.object
    where now_.definition is distinct from applied.definition
        and coalesce(applied.kind, '') not like 'earlier %'
        and not (
            applied.kind is null
            and now_.kind in (select k.kind from audit.kinds_of_state() as k where k.may_be_added)
        )
        and not (
            (now_.kind is null or applied.kind is null)
            and coalesce(now_.kind, applied.kind) = 'grant'
            and coalesce(now_.object, applied.object) in (select o.object from audit.rights_left_open() as o)
        )
) as d;

-- A view would wait for a lock before it could name who holds it.
create function audit.list_drift()
    returns table (kind text, object text, change text, applied text, present text)
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
exception
    when lock_not_available then
        perform audit.refuse_locked('audit.drift');
end
$body$;

comment on function audit.list_drift() is 'The rows of the view audit.drift.';

create view audit.drift with (security_invoker) as
select
    d.kind, d.object, d.change, d.applied, d.present
from audit.list_drift() as d;

comment on view audit.drift_before_acceptance is
    'Differences between this database and the state that the repository declares, including accepted differences.';
comment on view audit.drift is
    'Changes made by hand: differences between this database and its declared state, except accepted ones.';

comment on column audit.drift_before_acceptance.as_it_stands is
    'What changed and the object''s present definition, in the form that audit.accept stores.';
