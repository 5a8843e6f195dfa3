-- What differs from what the repository declares: somebody changed it by hand, or made something of their own that touches
-- the house. Empty when nothing does. Logins and their memberships are the deployment's and stand not here.
create view audit.drift with (security_invoker) as
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
where now_.definition is distinct from applied.definition;

comment on view audit.drift is
    'What differs from what the repository declares: somebody changed it by hand. Empty when nothing does.';
comment on column audit.drift.kind is 'What kind of fact: policy, grant, function, role and so on.';
comment on column audit.drift.object is 'What it is about.';
comment on column audit.drift.change is 'added, removed or changed.';
comment on column audit.drift.applied is 'What is declared; null where it was added.';
comment on column audit.drift.present is 'What is there now; null where it was removed.';

grant select on audit.drift to taxclaims_auditor;
