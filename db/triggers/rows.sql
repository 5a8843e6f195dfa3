-- The trigger functions in this file run with the rights of the role that writes the row.

-- app.touch uses clock_timestamp instead of now, because the transaction may have waited for a lock. app.touch does not
-- change the times of an imported row. updated_at is the version in the ETag, and callers see its milliseconds: each
-- change moves updated_at to a later millisecond, so that two versions of a row never look the same.
create or replace function app.touch()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
begin
    if tg_op = 'UPDATE' then
        new.updated_at := greatest(
            pg_catalog.clock_timestamp(),
            pg_catalog.date_trunc('milliseconds', old.updated_at) + interval '1 millisecond'
        );
    elsif new.created_at = pg_catalog.now() and new.updated_at = pg_catalog.now() then
        new.created_at := pg_catalog.clock_timestamp();
        new.updated_at := new.created_at;
    end if;
    return new;
end
$function$;

comment on function app.touch() is
    'Trigger of most tables that sets created_at and updated_at; every change moves updated_at to a later millisecond.';

-- Adds the trigger app.touch to every table with updated_at. A row that is written as it was keeps its updated_at. Of
-- users only the listed columns count, because users do not see the others. A change of a partner’s links
-- writes updated_at, because the links are rows of another table; whatever value it writes, app.touch sets the time.
do $touched$
declare
    touched record;
begin
    for touched in
        select
            c.oid::regclass as name,
            c.relname,
            -- The columns are compared one by one, because pg_dump prints a comparison of two rows differently after a
            -- restore. A trigger that runs before the update cannot read a generated column.
            (
                select pg_catalog.string_agg(
                    pg_catalog.format('new.%1$I is distinct from old.%1$I', o.attname), ' or ' order by o.attname collate "C"
                )
                from pg_catalog.pg_attribute as o
                where o.attrelid = c.oid and o.attnum > 0 and not o.attisdropped and o.attgenerated = ''
                    and (o.attname <> 'updated_at' or c.relname = 'partners')
                    and (
                        c.relname <> 'users'
                        or o.attname = any ('{email, password_hash, name, role, client_access, is_active, subject}')
                    )
            ) as changed
        from pg_catalog.pg_attribute as a
        join pg_catalog.pg_class as c on c.oid = a.attrelid and c.relkind in ('r', 'p') and c.relowner = 'taxclaims_owner'::regrole
        where c.relnamespace = 'public'::regnamespace and a.attname = 'updated_at' and not a.attisdropped
    loop
        execute pg_catalog.format(
            'create trigger %I before update on %s for each row when (%s) execute function app.touch()',
            touched.relname || '_touch', touched.name, touched.changed
        );
        if touched.relname <> 'documents' then
            execute pg_catalog.format(
                'create trigger %I before insert on %s for each row execute function app.touch()',
                touched.relname || '_touch_first', touched.name
            );
        end if;
    end loop;
end
$touched$;

create or replace function app.complete_partner_invoice()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
begin
    if tg_op = 'UPDATE' then
        if (new.amount_excl_tax, new.vat_rate) is distinct from (old.amount_excl_tax, old.vat_rate)
            and new.vat_amount = old.vat_amount
        then
            new.vat_amount := null;
        end if;
        if (new.amount_excl_tax, new.vat_amount) is distinct from (old.amount_excl_tax, old.vat_amount)
            and new.amount_incl_tax = old.amount_incl_tax
        then
            new.amount_incl_tax := null;
        end if;
        if new.status <> old.status then
            perform app.check_move('partner_invoices', old.status, pg_catalog.to_jsonb(new));
            if new.status = 'PAID' then
                new.paid_at := coalesce(new.paid_at, pg_catalog.clock_timestamp());
            end if;
        end if;
    elsif new.status <> 'RECEIVED' then
        raise exception 'a new partner invoice must be RECEIVED'
            using
                errcode = 'TX409',
                detail = '{"status": "must be RECEIVED, the status of every new bill"}',
                hint = '["not_first_status.bill", {"status": "RECEIVED"}]';
    end if;
    new.vat_amount := coalesce(new.vat_amount, pg_catalog.round(new.amount_excl_tax * new.vat_rate / 100, 2));
    new.amount_incl_tax := coalesce(new.amount_incl_tax, new.amount_excl_tax + new.vat_amount);
    return new;
end
$function$;

comment on function app.complete_partner_invoice() is
    'Trigger of partner_invoices that computes missing amounts and refuses (TX409) status changes that are not '
    'allowed.';

create or replace trigger partner_invoices_compute_amounts
    before insert or update on public.partner_invoices
    for each row execute function app.complete_partner_invoice();
