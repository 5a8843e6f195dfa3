create or replace trigger factures_check_move
    before insert or update on public.factures
    for each row execute function app.check_invoice_move();

create or replace function app.refuse_issued_invoice_delete()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
begin
    raise exception 'an issued invoice is never deleted'
        using
            errcode = 'TX409',
            detail = pg_catalog.jsonb_build_object(
                'status', pg_catalog.format('is %s: an invoice that was issued is never deleted', old.status)
            ),
            hint = pg_catalog.jsonb_build_array(
                'never_deleted', pg_catalog.jsonb_build_object('status', old.status)
            );
end
$function$;

comment on function app.refuse_issued_invoice_delete() is
    'Trigger of factures that refuses (TX409) to delete an issued invoice, even by a cascade.';

create or replace trigger factures_refuse_issued_delete
    before delete on public.factures
    for each row
    when (old.status <> 'DRAFT')
    execute function app.refuse_issued_invoice_delete();
