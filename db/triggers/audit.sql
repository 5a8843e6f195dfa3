-- Each write to an audited table adds one audit record in the same transaction. Rows deleted by a cascade get no audit
-- record, because the trigger depth is then above zero.

-- All tables of schema public are audited, except status rules, communes, public holidays, invoice counters, and tables that only
-- functions write.
do $audited$
declare
    audited name;
begin
    for audited in
        select c.relname
        from pg_catalog.pg_class as c
        where c.relnamespace = 'public'::regnamespace
            and c.relkind = 'r'
            and c.relowner = 'taxclaims_owner'::regrole
            and c.relname not in (
                'communes', 'identity_changes', 'invoice_counters', 'invoice_transitions', 'reclamation_history',
                'public_holidays', 'reclamation_transitions'
            )
    loop
        execute pg_catalog.format(
            'create trigger %1$I after insert or update on public.%3$I
                for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change();
            create trigger %2$I before delete on public.%3$I
                for each row when (pg_catalog.pg_trigger_depth() = 0) execute function app.record_change()',
            audited || '_audit_write', audited || '_audit_delete', audited
        );
    end loop;
end
$audited$;

-- A credit note cancels its invoice by a trigger, whose depth is above zero.
create trigger factures_audit_cancel
    after update of status on public.factures
    for each row
    when (pg_catalog.pg_trigger_depth() > 0 and old.status <> 'CANCELLED' and new.status = 'CANCELLED')
    execute function app.record_change();

create or replace function app.refuse_change()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
begin
    -- The erasure of a user calls app.redact_user from a trigger of users.
    if tg_op = 'UPDATE' and current_user = 'taxclaims_housekeeper' and pg_catalog.pg_trigger_depth() > 1 then
        return null;
    end if;
    raise exception 'audit records are append-only' using errcode = 'insufficient_privilege';
end
$function$;

comment on function app.refuse_change() is
    'Trigger of audit_logs and audit_days that refuses update, delete and truncate, even by superusers. Only '
    'app.redact_user may update audit records, during the erasure of a user.';

-- `enable always`: the trigger also runs while session_replication_role is replica.
create or replace trigger audit_logs_append_only
    before update or delete or truncate on public.audit_logs
    for each statement execute function app.refuse_change();
alter table public.audit_logs enable always trigger audit_logs_append_only;

create or replace trigger audit_days_append_only
    before update or delete or truncate on app.audit_days
    for each statement execute function app.refuse_change();
alter table app.audit_days enable always trigger audit_days_append_only;
