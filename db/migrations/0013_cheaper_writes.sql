-- What a write leaves behind, made smaller.

-- A change finds room beside the row that it replaces, so that no index has to learn of it.
alter table public.clients set (fillfactor = 90);
alter table public.sites set (fillfactor = 90);
alter table public.cadastres set (fillfactor = 90);
alter table public.reclamations set (fillfactor = 90);
alter table public.partners set (fillfactor = 90);
alter table public.factures set (fillfactor = 90);
alter table public.partner_invoices set (fillfactor = 90);
alter table public.users set (fillfactor = 90);

-- An audit record is entered into nine indexes. In seven of them its id stood behind its time, though two records
-- hardly ever share one: those few are put in order by whoever reads them. That of the client keeps it, for the newest
-- records of many clients are merged from the index alone.
drop index public.audit_logs_created_at_idx;
drop index public.audit_logs_user_id_idx;
drop index public.audit_logs_actor_idx;
drop index public.audit_logs_action_idx;
drop index public.audit_logs_resource_type_idx;
drop index public.audit_logs_resource_id_idx;
drop index public.audit_logs_refusals_idx;

create index audit_logs_created_at_idx on public.audit_logs (created_at desc);
create index audit_logs_user_id_idx on public.audit_logs (user_id, created_at desc);
create index audit_logs_actor_idx on public.audit_logs (actor, created_at desc);
create index audit_logs_action_idx on public.audit_logs (action, created_at desc);
create index audit_logs_resource_type_idx on public.audit_logs (resource_type, created_at desc);
create index audit_logs_resource_id_idx on public.audit_logs (resource_id, created_at desc);
create index audit_logs_refusals_idx on public.audit_logs (created_at desc) where not success;
