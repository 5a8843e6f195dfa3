-- Everything that can be accepted at this moment, accepted or not: each finding and each drift, exactly as it stands.
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
comment on column audit.standing.what is 'The name of the finding, or the kind of the drift.';
comment on column audit.standing.object is 'Whom or what it is about.';
comment on column audit.standing.as_it_stands is
    'The finding''s level and detail, or the drift''s change and present definition.';

-- What is accepted, and whether it is still there to be accepted: what is not may be withdrawn.
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
comment on column audit.accepted.what is 'The name of the finding, or the kind of the drift.';
comment on column audit.accepted.object is 'Whom or what it is about.';
comment on column audit.accepted.reason is 'Why it is meant.';
comment on column audit.accepted.accepted_by is 'The login that accepted it.';
comment on column audit.accepted.accepted_at is 'When it was accepted.';
comment on column audit.accepted.as_it_stood is
    'The finding''s level and detail, or the drift''s change and present definition, as it was accepted.';
comment on column audit.accepted.still_stands is
    'False where it is gone, or has become another and is said again: it may be withdrawn.';

grant select on audit.standing, audit.accepted to taxclaims_auditor;
