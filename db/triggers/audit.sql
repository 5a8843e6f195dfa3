-- Each successful write leaves one audit record in its own transaction. What a cascade takes along is not
-- recorded row by row: before a cascaded row goes, the trigger depth is already one.

create or replace trigger clients_audit_write after insert or update on public.clients
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();
create or replace trigger clients_audit_delete before delete on public.clients
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();

create or replace trigger sites_audit_write after insert or update on public.sites
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();
create or replace trigger sites_audit_delete before delete on public.sites
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();

create or replace trigger cadastres_audit_write after insert or update on public.cadastres
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();
create or replace trigger cadastres_audit_delete before delete on public.cadastres
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();

create or replace trigger reclamations_audit_write after insert or update on public.reclamations
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();
create or replace trigger reclamations_audit_delete before delete on public.reclamations
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();

create or replace trigger documents_audit_write after insert or update on public.documents
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();
create or replace trigger documents_audit_delete before delete on public.documents
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();

create or replace trigger partners_audit_write after insert or update on public.partners
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();
create or replace trigger partners_audit_delete before delete on public.partners
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();

create or replace trigger client_partners_audit_write after insert or update on public.client_partners
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();
create or replace trigger client_partners_audit_delete before delete on public.client_partners
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();

create or replace trigger factures_audit_write after insert or update on public.factures
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();
create or replace trigger factures_audit_delete before delete on public.factures
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();

create or replace trigger partner_invoices_audit_write after insert or update on public.partner_invoices
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();
create or replace trigger partner_invoices_audit_delete before delete on public.partner_invoices
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();

create or replace trigger users_audit_write after insert or update on public.users
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();
create or replace trigger users_audit_delete before delete on public.users
    for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();

-- Records are only ever added, by whomever: this holds for the owner and for a superuser as well.
create or replace function app.refuse_change()
    returns trigger
    language plpgsql
    volatile
    set search_path = ''
as $function$
begin
    raise exception 'audit records are append-only' using errcode = 'insufficient_privilege';
end
$function$;

comment on function app.refuse_change() is
    'Trigger of audit_logs and audit_days: refuses update, delete and truncate, to a superuser as well.';

create or replace trigger audit_logs_append_only
    before update or delete or truncate on public.audit_logs
    for each statement
    execute function app.refuse_change();

create or replace trigger audit_days_append_only
    before update or delete or truncate on app.audit_days
    for each statement
    execute function app.refuse_change();
