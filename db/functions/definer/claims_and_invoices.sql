-- A reason that equals that of the present status came with an earlier move, so it does not count. Between court and decision
-- a reason makes the way back a step back, unless a judgment was notified, because a notified judgment is no mistake. The
-- condition of a move is compared with the instance before the change, because no change brings the judgment that it needs.
-- The update of a claim's status locks the claim, so the history dates the status changes of one claim in their true order.
create or replace function app.apply_reclamation_move()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    request_settings record;
    claim jsonb;
    is_step_back boolean;
    refusal jsonb;
begin
    if new.status <> old.status then
        if new.status_reason is not distinct from old.status_reason then
            new.status_reason := null;
        end if;
        claim := pg_catalog.to_jsonb(new) || pg_catalog.jsonb_build_object('instance', old.instance);
        perform app.check_move('reclamations', old.status, claim);
        is_step_back := (
            select pg_catalog.bool_and(m.is_correction)
                or pg_catalog.bool_or(m.is_correction)
                    and new.status_reason is not null
                    and new.judgment_notified_on is null
            from app.moves('reclamations', old.status, claim) as m
            where m.to_status = new.status
        );
        if is_step_back then
            if new.status = 'APPROVED' and new.submitted_at is not distinct from old.submitted_at then
                new.submitted_at := null;
            elsif old.status = 'LITIGATION' and new.instance is not distinct from old.instance then
                new.instance := case
                    when old.instance = 'CE' and old.claim_type = 'CFE' then 'CAA'
                    when old.instance in ('CE', 'CAA') then 'TA'
                end;
            end if;
        elsif new.status = 'SUBMITTED' then
            new.submitted_at := coalesce(new.submitted_at, pg_catalog.clock_timestamp());
        elsif new.status = 'LITIGATION' then
            if new.instance is not distinct from old.instance then
                new.instance := case
                    when old.instance is null then 'TA'
                    when old.instance = 'TA' and old.claim_type = 'CFE' then 'CAA'
                    else 'CE'
                end;
            end if;
            new.judgment_notified_on := null;
            new.appeal_deadline := null;
        elsif old.status = 'LITIGATION' then
            new.instance := coalesce(new.instance, 'TA');
        end if;
        request_settings := app.read_request_settings();
        insert into public.reclamation_history (
            reclamation_id, client_id, from_status, to_status, reason, is_correction, changed_by, actor, changed_at
        )
        values (
            new.id, new.client_id, old.status, new.status, new.status_reason, is_step_back, request_settings.user_id,
            coalesce(request_settings.user_id::text, session_user),
            greatest(
                pg_catalog.clock_timestamp(),
                (
                    select h.changed_at + interval '1 microsecond'
                    from public.reclamation_history as h
                    where h.reclamation_id = new.id
                    order by h.changed_at desc
                    limit 1
                )
            )
        );
    end if;
    refusal := app.explain_granted_amount(new.status, new.amount, new.granted_amount);
    if refusal is not null then
        raise exception 'the granted amount of a claim does not fit the status %', new.status
            using errcode = 'TX409', detail = refusal -> 'detail', hint = refusal -> 'hint';
    end if;
    return new;
end
$function$;

comment on function app.apply_reclamation_move() is
    'Trigger of reclamations that refuses (TX409) a status change that is not allowed or lacks a field, and a granted '
    'amount that does not fit the status. Sets submitted_at and instance, and stores each status change in '
    'reclamation_history.';
grant execute on function app.apply_reclamation_move() to taxclaims_owner;

-- app.check_invoice_move takes the invoice number from the counter row of the year and locks this row until the commit,
-- because French law requires invoice numbers without gaps.
create or replace function app.check_invoice_move()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    given integer;
    closed jsonb;
begin
    if tg_op = 'INSERT' then
        if new.status <> 'DRAFT' then
            raise exception 'an invoice begins as DRAFT'
                using
                    errcode = 'TX409',
                    detail = '{"status": "must be DRAFT: an invoice begins there"}',
                    hint = '["not_first_status.invoice", {"status": "DRAFT"}]';
        end if;
        return new;
    end if;
    if old.status <> 'DRAFT' then
        select pg_catalog.jsonb_object_agg(c.field, 'cannot change any more: the invoice is ' || old.status)
        into closed
        from (
            values
                ('issue_date', new.issue_date is distinct from old.issue_date),
                ('amount_excl_tax', new.amount_excl_tax <> old.amount_excl_tax),
                ('vat_rate', new.vat_rate <> old.vat_rate),
                ('number', new.number is distinct from old.number)
        ) as c (field, is_changed)
        where c.is_changed;
        if closed is not null then
            raise exception 'an issued invoice does not change'
                using
                    errcode = 'TX409',
                    detail = closed,
                    hint = pg_catalog.jsonb_build_array(
                        'fixed.issued', pg_catalog.jsonb_build_object('status', old.status)
                    );
        end if;
    end if;
    if new.status = old.status then
        return new;
    end if;
    perform app.check_move('factures', old.status, pg_catalog.to_jsonb(new));
    case new.status
        when 'ISSUED' then
            new.issue_date := coalesce(new.issue_date, pg_catalog.clock_timestamp()::date);
            insert into public.invoice_counters as c (year, last_number)
            values (extract(year from new.issue_date), 1)
            on conflict (year) do update set last_number = c.last_number + 1
            returning c.last_number into given;
            new.number := extract(year from new.issue_date) || '-' || pg_catalog.lpad(given::text, 6, '0');
        when 'PAID' then
            new.paid_at := coalesce(new.paid_at, pg_catalog.clock_timestamp());
        else
            null;
    end case;
    return new;
end
$function$;

comment on function app.check_invoice_move() is
    'Trigger of factures that refuses (TX409) status changes that are not allowed, and changes of an issued invoice. '
    'app.check_invoice_move gives an invoice its number when it is issued.';
grant execute on function app.check_invoice_move() to taxclaims_owner;
