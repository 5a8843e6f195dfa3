-- app.explain_condition is the one place that says what each condition of reclamation_transitions means.
create or replace function app.explain_condition(condition text, target text, record jsonb)
    returns jsonb
    language plpgsql stable set search_path = ''
as $function$
declare
    answer_due constant timestamp with time zone := explain_condition.record ->> 'response_due_at';
    stored constant jsonb := coalesce(explain_condition.record -> 'before', explain_condition.record);
    granted constant numeric := stored ->> 'granted_amount';
    day text;
    reason text;
    rule text;
begin
    case explain_condition.condition
        when 'ANSWER_OVERDUE' then
            if app.paris_day(answer_due) < app.paris_today() then
                return null;
            end if;
            day := app.paris_day(answer_due);
            reason := 'the answer is due until ' || day;
            rule := 'move_not_allowed.answer';
        when 'AFTER_PARTIAL_ADMISSION' then
            if granted < (stored ->> 'amount')::numeric then
                return null;
            end if;
            if granted is null then
                return pg_catalog.jsonb_build_object(
                    'detail', pg_catalog.jsonb_build_object(
                        'granted_amount',
                        pg_catalog.format('must be stored before the move to %s: enter it first', explain_condition.target)
                    ),
                    'hint', pg_catalog.jsonb_build_array(
                        'required.before_move', pg_catalog.jsonb_build_object('to', explain_condition.target)
                    )
                );
            end if;
            reason := 'the whole amount was granted, and granted_amount must be below amount before the move';
            rule := 'move_not_allowed.whole';
        when 'AFTER_JUDGMENT' then
            if stored ->> 'instance' is not null then
                return null;
            end if;
            reason := 'no court has judged the claim';
            rule := 'move_not_allowed.judgment';
    end case;
    if reason is null then
        return pg_catalog.jsonb_build_object(
            'detail', pg_catalog.jsonb_build_object('submitted_at', 'is needed for the move to ' || explain_condition.target),
            'hint', pg_catalog.jsonb_build_array(
                'required.move', pg_catalog.jsonb_build_object('to', explain_condition.target)
            )
        );
    end if;
    return pg_catalog.jsonb_build_object(
        'detail', pg_catalog.jsonb_build_object(
            'status', pg_catalog.format('cannot be %s now: %s', explain_condition.target, reason)
        ),
        'hint', pg_catalog.jsonb_build_array(
            rule,
            pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('to', explain_condition.target, 'day', day))
        )
    );
end
$function$;

comment on function app.explain_condition(text, text, jsonb) is
    'Returns null if a condition of reclamation_transitions holds for a claim, else the detail and the hint of the 409. '
    'ANSWER_OVERDUE: response_due_at has passed. AFTER_PARTIAL_ADMISSION: granted_amount is below amount. '
    'AFTER_JUDGMENT: a court judged the claim (instance is known). The last two are compared with the claim before the '
    'change: `before` of the record, or the record itself outside a change.';

-- A step back returns a claim to the status before its last move, by the user roles that also decide on a claim. A move of
-- reclamation_transitions from the same status to the same status takes precedence, except between court and decision:
-- there both moves are possible, because an undone judgment is no appeal. A previous release calls app.moves without the
-- record, and gets the moves that depend on nothing but the status.
create or replace function app.moves(table_name text, from_status text, record jsonb default null)
    returns table (to_status text, requires text[], is_correction boolean)
    language plpgsql stable set search_path = ''
as $function$
#variable_conflict use_column
declare
    caller_role constant text := coalesce(app.role(), 'ADMIN');
begin
    if moves.table_name <> 'reclamations' then
        return query
        select t.to_status::text, t.requires, false
        from public.invoice_transitions as t
        where t.table_name = moves.table_name and t.from_status = moves.from_status and t.role = caller_role
        order by t.to_status;
        return;
    end if;
    return query
    select m.to_status::text, m.requires, m.is_correction
    from (
        select t.to_status, t.requires, false as is_correction
        from public.reclamation_transitions as t
        where t.from_status = moves.from_status and t.role = caller_role
            and (t.condition is null or app.explain_condition(t.condition, t.to_status, moves.record) is null)
        union all
        select last_move.from_status, '{status_reason}', true
        from (
            select h.from_status, h.to_status, h.is_correction
            from public.reclamation_history as h
            where h.reclamation_id = (moves.record ->> 'id')::uuid
            order by h.changed_at desc, h.id desc
            limit 1
        ) as last_move
        where caller_role in ('ADMIN', 'ACCOUNT_MANAGER')
            and last_move.to_status = moves.from_status
            and not last_move.is_correction
            and (
                'LITIGATION' in (last_move.from_status, last_move.to_status)
                or not exists (
                    select
                    from public.reclamation_transitions as t
                    where t.from_status = last_move.to_status and t.to_status = last_move.from_status
                )
            )
    ) as m
    order by m.to_status, m.is_correction;
end
$function$;

comment on function app.moves(text, text, jsonb) is
    'Returns the status changes that the caller''s role may make with a record, with the required fields. is_correction '
    'is true for the step back to the status before a claim''s last move. Outside a request, the rules of an ADMIN apply. '
    'app.check_move and the API call app.moves.';

create or replace function app.missing(fields text[], record jsonb)
    returns text[]
    language plpgsql immutable parallel safe set search_path = ''
as $function$
begin
    return array(
        select f.name
        from pg_catalog.unnest(missing.fields) with ordinality as f (name, position)
        where missing.record ->> f.name is null
        order by f.position
    );
end
$function$;

comment on function app.missing(text[], jsonb) is
    'Returns those of the given fields that are null in the given record. app.check_move and the API call app.missing.';

create or replace function app.describe_next_statuses(table_name text, from_status text, record jsonb)
    returns text
    language plpgsql stable set search_path = ''
as $function$
declare
    possible constant text := (
        select pg_catalog.string_agg(distinct m.to_status, ', ')
        from app.moves(
            describe_next_statuses.table_name, describe_next_statuses.from_status, describe_next_statuses.record
        ) as m
    );
begin
    return case
        when possible is null then 'from ' || describe_next_statuses.from_status || ' you can move it no further'
        else 'from ' || describe_next_statuses.from_status || ' you can move it to ' || possible
    end;
end
$function$;

comment on function app.describe_next_statuses(text, text, jsonb) is
    'Returns the list of statuses that can follow the status of a record, as the end of an error message.';

create or replace function app.check_move(table_name text, from_status text, record jsonb)
    returns void
    language plpgsql stable set search_path = ''
as $function$
declare
    target constant text := check_move.record ->> 'status';
    missing_fields text[];
    is_step_back boolean;
    refusal jsonb;
begin
    select app.missing(m.requires, check_move.record), m.is_correction
    into missing_fields, is_step_back
    from app.moves(check_move.table_name, check_move.from_status, check_move.record) as m
    where m.to_status = target
    order by m.is_correction
    limit 1;
    if not found then
        refusal := coalesce(
            (
                select app.explain_condition(t.condition, target, check_move.record)
                from public.reclamation_transitions as t
                where check_move.table_name = 'reclamations'
                    and t.from_status = check_move.from_status
                    and t.to_status = target
                    and t.role = coalesce(app.role(), 'ADMIN')
            ),
            pg_catalog.jsonb_build_object(
                'detail', pg_catalog.jsonb_build_object(
                    'status',
                    pg_catalog.format(
                        'cannot be %s now: %s',
                        target,
                        app.describe_next_statuses(check_move.table_name, check_move.from_status, check_move.record)
                    )
                ),
                'hint', pg_catalog.jsonb_build_array(
                    'move_not_allowed',
                    pg_catalog.jsonb_build_object(
                        'from', check_move.from_status,
                        'to', target,
                        'moves', array(
                            select distinct m.to_status
                            from app.moves(check_move.table_name, check_move.from_status, check_move.record) as m
                            order by m.to_status
                        )
                    )
                )
            )
        );
        raise exception 'in %, this role may not change the status % to %', check_move.table_name, check_move.from_status, target
            using errcode = 'TX409', detail = refusal -> 'detail', hint = refusal -> 'hint';
    end if;
    if missing_fields <> '{}' then
        raise exception 'a change to % requires %', target, pg_catalog.array_to_string(missing_fields, ', ')
            using
                errcode = 'TX409',
                detail = (
                    select pg_catalog.jsonb_object_agg(
                        l.field,
                        case
                            when is_step_back then pg_catalog.format('is needed for the step back to %s: why the last move was a mistake', target)
                            else 'is needed for the move to ' || target
                        end
                    )
                    from pg_catalog.unnest(missing_fields) as l (field)
                ),
                hint = pg_catalog.jsonb_build_array(
                    case when is_step_back then 'required.step_back' else 'required.move' end,
                    pg_catalog.jsonb_build_object('to', target)
                );
    end if;
end
$function$;

comment on function app.check_move(text, text, jsonb) is
    'Refuses (TX409) a status change that the caller''s role may not make or that lacks a required field. The '
    'parameter `record` is the row after the change. The error''s detail is JSON with the reasons by field, and its '
    'hint is JSON with a code of the reason.';

-- A claim that was refused has no granted amount, an admission has one, and that of a partial admission is a part.
create or replace function app.explain_granted_amount(status text, amount numeric, granted_amount numeric)
    returns jsonb
    language plpgsql immutable parallel safe set search_path = ''
as $function$
declare
    rule constant text := case
        when explain_granted_amount.status = 'REJECTED' then
            case when explain_granted_amount.granted_amount is not null then 'granted_amount.none' end
        when explain_granted_amount.status in ('ACCEPTED', 'PARTIALLY_ACCEPTED', 'REFUNDED') then
            case
                when coalesce(explain_granted_amount.granted_amount, 0) = 0 then 'granted_amount'
                when explain_granted_amount.status = 'PARTIALLY_ACCEPTED'
                    and explain_granted_amount.granted_amount >= explain_granted_amount.amount
                    then 'granted_amount.part'
            end
    end;
begin
    return case
        when rule is not null then pg_catalog.jsonb_build_object(
            'detail', pg_catalog.jsonb_build_object(
                'granted_amount',
                case rule
                    when 'granted_amount.none' then 'must be null for a claim that is REJECTED: if a part was granted, it is PARTIALLY_ACCEPTED'
                    when 'granted_amount.part' then 'must be below amount for a claim that is PARTIALLY_ACCEPTED: if all was granted, it is ACCEPTED'
                    else pg_catalog.format('must be above 0 for a claim that is %s', explain_granted_amount.status)
                end
            ),
            'hint', pg_catalog.jsonb_build_array(
                rule, pg_catalog.jsonb_build_object('status', explain_granted_amount.status)
            )
        )
    end;
end
$function$;

comment on function app.explain_granted_amount(text, numeric, numeric) is
    'Returns null if the granted amount of a claim fits its status, else the detail and the hint of the 409. REJECTED has '
    'none; ACCEPTED and REFUNDED have one above 0; PARTIALLY_ACCEPTED has one above 0 and below the amount.';

grant execute on function
    app.explain_condition(text, text, jsonb),
    app.moves(text, text, jsonb),
    app.missing(text[], jsonb),
    app.describe_next_statuses(text, text, jsonb),
    app.check_move(text, text, jsonb)
to taxclaims_client, taxclaims_admin, taxclaims_definer;
grant execute on function app.explain_granted_amount(text, numeric, numeric) to taxclaims_definer;
