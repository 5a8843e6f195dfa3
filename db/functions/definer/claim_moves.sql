-- A reason that equals that of the present status came with an earlier move, so it does not count. Between court and decision
-- a reason makes the way back a step back, unless a judgment was notified, because a notified judgment is no mistake. The
-- condition of a move that needs a judgment or a partial admission is compared with the claim before the change, because no change
-- brings them.
-- A step back out of court restores what the claim had of a court before, and the same move to court after it restores what
-- the claim had in court, except what the step back cleared.
-- The update of a claim's status locks the claim, so the history dates the status changes of one claim in their true order.
create or replace function app.apply_reclamation_move()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    request_settings record;
    claim jsonb;
    is_step_back boolean;
    last_move record;
    court_before jsonb;
    refusal jsonb;
begin
    if new.status <> old.status then
        if new.status_reason is not distinct from old.status_reason then
            new.status_reason := null;
        end if;
        claim := pg_catalog.to_jsonb(new) || pg_catalog.jsonb_build_object('before', old);
        -- The trigger that derives the day of the answer runs after this one.
        if new.received_on is distinct from old.received_on
            or new.submitted_at is distinct from old.submitted_at
            or new.response_extended <> old.response_extended
        then
            claim := claim || pg_catalog.jsonb_build_object(
                'response_due_at', app.response_due_at(new.received_on, new.submitted_at, new.response_extended)
            );
        end if;
        perform app.check_move('reclamations', old.status, claim);
        is_step_back := (
            select pg_catalog.bool_and(m.is_correction)
                or pg_catalog.bool_or(m.is_correction)
                    and new.status_reason is not null
                    and new.judgment_notified_on is null
            from app.moves('reclamations', old.status, claim) as m
            where m.to_status = new.status
        );
        if is_step_back and old.status = 'LITIGATION' or not is_step_back and new.status = 'LITIGATION' then
            court_before := pg_catalog.jsonb_build_object(
                'instance', old.instance,
                'judgment_notified_on', case when not is_step_back or new.judgment_notified_on is not null then old.judgment_notified_on end,
                'appeal_deadline', case when not is_step_back or new.appeal_deadline is not null then old.appeal_deadline end
            );
        end if;
        select h.from_status, h.to_status, h.is_correction, h.court_before, h.changed_at
        into last_move
        from public.reclamation_history as h
        where h.reclamation_id = new.id
        order by h.changed_at desc, h.id desc
        limit 1;
        if is_step_back and new.status = 'APPROVED' then
            new.submitted_amount := null;
            if new.submitted_at is not distinct from old.submitted_at then
                new.submitted_at := null;
            end if;
        elsif not is_step_back and new.status = 'SUBMITTED' then
            new.submitted_at := coalesce(new.submitted_at, pg_catalog.clock_timestamp());
            -- A claim that is sent again after a regularisation was claimed when it was first sent.
            if old.status = 'APPROVED' then
                new.submitted_amount := new.amount;
            end if;
        end if;
        if last_move.court_before is not null
            and (last_move.from_status, last_move.to_status, last_move.is_correction) = (new.status, old.status, not is_step_back)
        then
            if new.instance is not distinct from old.instance then
                new.instance := last_move.court_before ->> 'instance';
            end if;
            if new.judgment_notified_on is not distinct from old.judgment_notified_on then
                new.judgment_notified_on := last_move.court_before ->> 'judgment_notified_on';
            end if;
            if new.appeal_deadline is not distinct from old.appeal_deadline then
                new.appeal_deadline := last_move.court_before ->> 'appeal_deadline';
            end if;
        elsif is_step_back then
            -- The move that is taken back was made before the history kept court_before.
            if old.status = 'LITIGATION' and new.instance is not distinct from old.instance then
                new.instance := case
                    when old.instance = 'CE' and old.claim_type = 'CFE' then 'CAA'
                    when old.instance in ('CE', 'CAA') then 'TA'
                end;
            end if;
        elsif new.status = 'LITIGATION' then
            if new.instance is not distinct from old.instance then
                new.instance := case
                    when old.instance is null then 'TA'
                    when old.instance = 'TA' and old.claim_type = 'CFE' then 'CAA'
                    else 'CE'
                end;
            end if;
            perform app.refuse_claim_day(
                t.field,
                'is of the judgment before: enter it before the move to LITIGATION, or leave it out',
                '["of_judgment_before", {"to": "LITIGATION"}]'
            )
            from (
                values
                    ('judgment_notified_on', new.judgment_notified_on, old.judgment_notified_on),
                    ('appeal_deadline', new.appeal_deadline, old.appeal_deadline)
            ) as t (field, day, day_before)
            where t.day is not null and t.day is distinct from t.day_before;
            new.judgment_notified_on := null;
            new.appeal_deadline := null;
        elsif old.status = 'LITIGATION' then
            new.instance := coalesce(new.instance, 'TA');
        end if;
        request_settings := app.read_request_settings();
        insert into public.reclamation_history (
            reclamation_id, client_id, from_status, to_status, reason, is_correction, court_before, changed_by, actor, changed_at
        )
        values (
            new.id, new.client_id, old.status, new.status, new.status_reason, is_step_back, court_before,
            request_settings.user_id, coalesce(request_settings.user_id::text, session_user),
            greatest(pg_catalog.clock_timestamp(), last_move.changed_at + interval '1 microsecond')
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
    'amount that does not fit the status. Sets submitted_at, submitted_amount and the columns about the court, and '
    'stores each status change in reclamation_history.';
grant execute on function app.apply_reclamation_move() to taxclaims_owner;

-- A sent claim is one whose status follows APPROVED, or that was SUBMITTED once. The trigger sees the latest version of
-- the claim, also in the cascade of a deleted site, which no policy sees.
create or replace function app.refuse_sent_delete()
    returns trigger
    language plpgsql stable security definer set search_path = ''
as $function$
begin
    if app.role() <> 'ADMIN'
        and (
            old.status::text <> all (array['DRAFT', 'READY_FOR_REVIEW', 'APPROVED'])
            or exists (
                select
                from public.reclamation_history as h
                where h.reclamation_id = old.id and h.to_status = 'SUBMITTED'
            )
        )
    then
        raise exception 'only an ADMIN may delete a claim that was sent' using errcode = 'insufficient_privilege';
    end if;
    return old;
end
$function$;

comment on function app.refuse_sent_delete() is
    'Trigger of reclamations that refuses (42501) to delete a claim that was sent, also with its site, unless the caller '
    'is an ADMIN. Outside a request it refuses nothing.';
grant execute on function app.refuse_sent_delete() to taxclaims_owner;
