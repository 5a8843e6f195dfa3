create or replace trigger factures_check_move
    before insert or update on public.factures
    for each row execute function app.check_invoice_move();

create or replace trigger factures_check_credit_note
    after insert or update of credits_id, issue_date on public.factures
    for each row
    when (new.credits_id is not null and new.status = 'DRAFT')
    execute function app.check_drafted_credit_note();

create or replace trigger factures_cancel_credited
    after update of status on public.factures
    for each row
    when (old.status = 'DRAFT' and new.status = 'ISSUED' and new.credits_id is not null)
    execute function app.cancel_credited_invoice();

-- app.refuse_kept_change compares whole rows, so that a column that a later release adds is closed without being named
-- here. It runs after the update, because only then generated columns have their new values.
create or replace function app.refuse_kept_change()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
declare
    -- A cancelled invoice keeps the time of its payment.
    open constant text[] := case old.status when 'CANCELLED' then '{status,updated_at}' else '{status,paid_at,updated_at}' end;
    closed text[];
begin
    if pg_catalog.to_jsonb(new) - open = pg_catalog.to_jsonb(old) - open then
        return null;
    end if;
    select pg_catalog.array_agg(n.key order by n.key)
    into closed
    from pg_catalog.jsonb_each(pg_catalog.to_jsonb(new) - open) as n
    join pg_catalog.jsonb_each(pg_catalog.to_jsonb(old)) as o on o.key = n.key and o.value <> n.value
    join pg_catalog.pg_attribute as a on a.attrelid = tg_relid and a.attname = n.key
    -- A generated column follows the columns that the caller has changed.
    where a.attgenerated = '';
    -- A foreign key takes the claim from its invoice when somebody deletes the claim.
    if closed = '{reclamation_id}'
        and not exists (
            select from public.reclamations as r where r.id = (pg_catalog.to_jsonb(old) ->> 'reclamation_id')::uuid
        )
    then
        raise exception 'a claim on an issued invoice cannot be deleted'
            using
                errcode = 'TX409',
                detail = pg_catalog.jsonb_build_object(
                    'invoices', pg_catalog.format('refer to this claim, so it cannot be deleted: %s', pg_catalog.to_jsonb(new) ->> 'number')
                ),
                hint = pg_catalog.jsonb_build_array(
                    'in_use.claim', pg_catalog.jsonb_build_object('values', pg_catalog.jsonb_build_array(pg_catalog.to_jsonb(new) ->> 'number'))
                );
    end if;
    -- A foreign key takes the draft of an invoice from a bill when somebody deletes the draft.
    if closed = '{invoice_id}'
        and pg_catalog.to_jsonb(new) ->> 'invoice_id' is null
        and not exists (select from public.factures as f where f.id = (pg_catalog.to_jsonb(old) ->> 'invoice_id')::uuid)
    then
        return null;
    end if;
    raise exception 'a row of % that is % cannot be changed', tg_table_name, old.status
        using
            errcode = 'TX409',
            detail = (
                select pg_catalog.jsonb_object_agg(
                    c.field,
                    'cannot change any more: the record is ' || old.status
                )
                from pg_catalog.unnest(closed) as c (field)
            ),
            hint = pg_catalog.jsonb_build_array('fixed.kept', pg_catalog.jsonb_build_object('status', old.status));
end
$function$;

comment on function app.refuse_kept_change() is
    'Trigger that refuses (TX409) every change of an issued invoice, or of a bill that is no longer RECEIVED, except of '
    'status and paid_at.';

create or replace trigger factures_refuse_kept_change
    after update on public.factures
    for each row
    when (old.status <> 'DRAFT')
    execute function app.refuse_kept_change();

create or replace trigger partner_invoices_refuse_kept_change
    after update on public.partner_invoices
    for each row
    when (old.status <> 'RECEIVED')
    execute function app.refuse_kept_change();

create or replace function app.refuse_kept_delete()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
begin
    raise exception 'a row of % that is % cannot be deleted', tg_table_name, old.status
        using
            errcode = 'TX409',
            detail = pg_catalog.jsonb_build_object(
                'status',
                pg_catalog.format('is %s: a record with this status is never deleted', old.status)
            ),
            hint = pg_catalog.jsonb_build_array('never_deleted', pg_catalog.jsonb_build_object('status', old.status));
end
$function$;

comment on function app.refuse_kept_delete() is
    'Trigger that refuses (TX409) to delete an issued invoice, or a bill that is no longer RECEIVED, even by a cascade.';

create or replace trigger factures_refuse_kept_delete
    before delete on public.factures
    for each row
    when (old.status <> 'DRAFT')
    execute function app.refuse_kept_delete();

create or replace trigger partner_invoices_refuse_kept_delete
    before delete on public.partner_invoices
    for each row
    when (old.status <> 'RECEIVED')
    execute function app.refuse_kept_delete();
