-- The log is read newest first, by who and by what. An index that ends in the order of the list
-- gives the newest of whatever is rare without walking past millions of others.

drop index public.audit_logs_user_id_idx;

create index audit_logs_user_id_idx on public.audit_logs (user_id, created_at desc, id desc);
create index audit_logs_actor_idx on public.audit_logs (actor, created_at desc, id desc);
create index audit_logs_action_idx on public.audit_logs (action, created_at desc, id desc);
create index audit_logs_resource_type_idx on public.audit_logs (resource_type, created_at desc, id desc);
create index audit_logs_resource_id_idx on public.audit_logs (resource_id, created_at desc, id desc);
