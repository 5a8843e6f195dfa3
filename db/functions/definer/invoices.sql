create or replace function app.credited(invoice_id uuid, out excl_tax numeric, out incl_tax numeric)
    language plpgsql stable security definer set search_path = ''
as $function$
begin
    select coalesce(pg_catalog.sum(c.amount_excl_tax), 0), coalesce(pg_catalog.sum(c.amount_incl_tax), 0)
    into excl_tax, incl_tax
    from public.factures as c
    where c.credits_id = credited.invoice_id and c.status <> 'DRAFT';
end
$function$;

comment on function app.credited(uuid) is
    'Returns the amounts of the issued credit notes of an invoice. For the triggers of factures.';
grant execute on function app.credited(uuid) to taxclaims_owner;

-- app.check_credit_note locks the invoice, so that of two credit notes that are issued at once the second one counts the
-- first one.
create or replace function app.check_credit_note(note jsonb)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    is_issue constant boolean := check_credit_note.note ->> 'status' <> 'DRAFT';
    wanted constant numeric := (check_credit_note.note ->> 'amount_excl_tax')::numeric;
    issue_date constant date := coalesce(
        (check_credit_note.note ->> 'issue_date')::date,
        case when is_issue then app.paris_day(pg_catalog.clock_timestamp()) end
    );
    invoice record;
    remaining numeric;
begin
    if is_issue then
        perform from public.factures as f where f.id = (check_credit_note.note ->> 'credits_id')::uuid for no key update;
    end if;
    select f.kind, f.status, f.vat_rate, f.amount_excl_tax, f.number, f.issue_date
    into invoice
    from public.factures as f
    where f.id = (check_credit_note.note ->> 'credits_id')::uuid and f.client_id = (check_credit_note.note ->> 'client_id')::uuid;
    -- The foreign key refuses an invoice of another client.
    if not found then
        return;
    end if;
    if invoice.kind <> 'INVOICE' or invoice.status not in ('ISSUED', 'PAID') then
        raise exception 'a credit note must credit an issued or paid invoice'
            using
                errcode = 'TX409',
                detail = '{"credits_id": "must be an invoice that is ISSUED or PAID, and no credit note"}',
                hint = '["not_creditable", {}]';
    end if;
    if issue_date < invoice.issue_date then
        raise exception 'a credit note must not be dated before its invoice'
            using
                errcode = 'TX409',
                detail = pg_catalog.jsonb_build_object(
                    'issue_date',
                    pg_catalog.format('must be %s or later: invoice %s is of that day', invoice.issue_date, invoice.number)
                ),
                hint = pg_catalog.jsonb_build_array(
                    'before_credited',
                    pg_catalog.jsonb_build_object('day', invoice.issue_date, 'field', invoice.number)
                );
    end if;
    if not is_issue then
        return;
    end if;
    if (check_credit_note.note ->> 'vat_rate')::numeric <> invoice.vat_rate then
        raise exception 'a credit note must have the VAT rate of its invoice'
            using
                errcode = 'TX409',
                detail = pg_catalog.jsonb_build_object('vat_rate', pg_catalog.format('must be %s, as on the invoice', invoice.vat_rate)),
                hint = pg_catalog.jsonb_build_array('not_the_invoices_rate', pg_catalog.jsonb_build_object('rule', invoice.vat_rate::text));
    end if;
    remaining := invoice.amount_excl_tax - (app.credited((check_credit_note.note ->> 'credits_id')::uuid)).excl_tax;
    if wanted > remaining then
        raise exception 'the credit notes of an invoice must not exceed its amount'
            using
                errcode = 'TX409',
                detail = pg_catalog.jsonb_build_object(
                    'amount_excl_tax',
                    pg_catalog.format('must be at most %s, the amount left of invoice %s', remaining, invoice.number)
                ),
                hint = pg_catalog.jsonb_build_array(
                    'above_credit', pg_catalog.jsonb_build_object('rule', remaining::text, 'field', invoice.number)
                );
    end if;
end
$function$;

comment on function app.check_credit_note(jsonb) is
    'Refuses (TX409) a credit note of a draft, of another credit note or of a cancelled invoice, or dated before its '
    'invoice, and the issue of a credit note with another VAT rate or a larger amount than is left of the invoice. For '
    'app.check_invoice_move.';
grant execute on function app.check_credit_note(jsonb) to taxclaims_owner;

-- The check runs after the write, so that row-level security refuses a credit note of another client's invoice first.
create or replace function app.check_drafted_credit_note()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    -- A draft that is sent back unchanged is not checked again.
    if tg_op = 'INSERT'
        or new.credits_id is distinct from old.credits_id
        or new.issue_date is distinct from old.issue_date
    then
        perform app.check_credit_note(pg_catalog.to_jsonb(new));
    end if;
    return null;
end
$function$;

comment on function app.check_drafted_credit_note() is
    'Trigger of factures that refuses (TX409) the draft of a credit note whose invoice cannot be credited, or has a later '
    'date.';
grant execute on function app.check_drafted_credit_note() to taxclaims_owner;

-- app.check_invoice_move takes the number from the counter row of the year and locks this row until the commit, because
-- French law requires numbers without gaps and in the order of their dates. Invoices and credit notes share the series.
create or replace function app.check_invoice_move()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    given integer;
    last_date date;
    has_date boolean;
    today date;
begin
    if tg_op = 'INSERT' and new.status <> 'DRAFT' then
        raise exception 'a new invoice must be DRAFT'
            using
                errcode = 'TX409',
                detail = '{"status": "must be DRAFT, the status of every new invoice"}',
                hint = '["not_first_status.invoice", {"status": "DRAFT"}]';
    end if;
    if (tg_op = 'INSERT' or new.vat_rate <> old.vat_rate and old.status = 'DRAFT') and new.vat_rate <> all (app.vat_rates()) then
        raise exception 'the VAT rate of an invoice must be a French one'
            using
                errcode = 'TX409',
                detail = pg_catalog.jsonb_build_object(
                    'vat_rate', 'must be a French VAT rate: ' || pg_catalog.array_to_string(app.vat_rates(), ', ')
                ),
                hint = pg_catalog.jsonb_build_array(
                    'not_a_vat_rate',
                    pg_catalog.jsonb_build_object('values', pg_catalog.to_jsonb(app.vat_rates()::text[]))
                );
    end if;
    if tg_op = 'INSERT' or new.status = old.status then
        return new;
    end if;
    if new.status = 'CANCELLED'
        and old.status in ('ISSUED', 'PAID')
        and exists (select from public.factures as c where c.credits_id = new.id and c.status <> 'DRAFT')
        and (app.credited(new.id)).excl_tax = new.amount_excl_tax
    then
        return new;
    end if;
    perform app.check_move('factures', old.status, pg_catalog.to_jsonb(new));
    case new.status
        when 'ISSUED' then
            if new.vat_rate = 0 and pg_catalog.btrim(coalesce(new.vat_exemption_reason, '')) = '' then
                raise exception 'an invoice without VAT must state the reason'
                    using
                        errcode = 'TX409',
                        detail = '{"vat_exemption_reason": "is required: an invoice without VAT must state the reason"}',
                        hint = '["required.vat_exemption", {}]';
            end if;
            if new.credits_id is not null then
                perform app.check_credit_note(pg_catalog.to_jsonb(new));
            end if;
            has_date := new.issue_date is not null;
            new.issue_date := coalesce(new.issue_date, app.paris_day(pg_catalog.clock_timestamp()));
            insert into public.invoice_counters as c (year, last_number)
            values (extract(year from new.issue_date), 1)
            on conflict (year) do update set last_number = c.last_number + 1
            returning c.last_number, c.last_issued_on into given, last_date;
            if last_date is null and given > 1 then
                -- The previous release also gave numbers with a date after today.
                select least(pg_catalog.max(f.issue_date), app.paris_day(pg_catalog.clock_timestamp()))
                into last_date
                from public.factures as f
                where f.number like extract(year from new.issue_date) || '-%'
                having pg_catalog.count(*) > 0;
            end if;
            -- Midnight can pass while the transaction waits for the counter row.
            if not has_date then
                new.issue_date := greatest(new.issue_date, last_date);
            end if;
            today := app.paris_day(pg_catalog.clock_timestamp());
            if new.issue_date > today then
                raise exception 'an invoice must not be dated after today'
                    using
                        errcode = 'TX409',
                        detail = pg_catalog.jsonb_build_object(
                            'issue_date', pg_catalog.format('must not be after today, %s: leave it out for today', today)
                        ),
                        hint = pg_catalog.jsonb_build_array('after_today', pg_catalog.jsonb_build_object('rule', today::text));
            elsif new.issue_date < last_date then
                raise exception 'an invoice must not be dated before the last invoice number of the year'
                    using
                        errcode = 'TX409',
                        detail = pg_catalog.jsonb_build_object(
                            'issue_date',
                            pg_catalog.format(
                                'must not be before %s, the date of the last invoice number of the year: leave it out for today', last_date
                            )
                        ),
                        hint = pg_catalog.jsonb_build_array(
                            'before_last_number', pg_catalog.jsonb_build_object('rule', last_date::text)
                        );
            end if;
            update public.invoice_counters set last_issued_on = new.issue_date where year = extract(year from new.issue_date);
            new.number := extract(year from new.issue_date) || '-' || pg_catalog.lpad(given::text, 6, '0');
            select c.company_name, c.address, c.siren
            into new.buyer_name, new.buyer_address, new.buyer_siren
            from public.clients as c
            where c.id = new.client_id;
        when 'PAID' then
            new.paid_at := coalesce(new.paid_at, pg_catalog.clock_timestamp());
        else
            null;
    end case;
    return new;
end
$function$;

comment on function app.check_invoice_move() is
    'Trigger of factures that refuses (TX409) status changes that are not allowed, and issue dates that are not in the order '
    'of the numbers. app.check_invoice_move gives an invoice its number and its buyer when it is issued.';
grant execute on function app.check_invoice_move() to taxclaims_owner;

create or replace function app.cancel_credited_invoice()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    update public.factures as f
    set status = 'CANCELLED'
    where f.id = new.credits_id
        and f.status in ('ISSUED', 'PAID')
        and f.amount_excl_tax = (app.credited(f.id)).excl_tax;
    return null;
end
$function$;

comment on function app.cancel_credited_invoice() is
    'Trigger of factures that cancels an invoice when its issued credit notes reach its whole amount.';
grant execute on function app.cancel_credited_invoice() to taxclaims_owner;
