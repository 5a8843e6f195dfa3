create or replace view reporting.reclamation_history with (security_invoker) as
select
    h.id, h.reclamation_id, h.client_id, h.from_status, h.to_status, h.changed_by, h.changed_at,
    h.reason, h.is_correction
from public.reclamation_history as h;

grant select on reporting.reclamation_history to taxclaims_reporting;
