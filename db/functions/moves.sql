-- Outside a request, app.moves returns the status changes that an ADMIN may make.
create or replace function app.moves(table_name text, from_status text)
    returns table (to_status text, requires text[])
    language plpgsql stable set search_path = ''
as $function$
#variable_conflict use_column
declare
    caller_role constant text := coalesce(app.role(), 'ADMIN');
begin
    if moves.table_name = 'reclamations' then
        return query
        select t.to_status::text, t.requires
        from public.reclamation_transitions as t
        where t.from_status = moves.from_status and t.role = caller_role
        order by t.to_status;
    else
        return query
        select t.to_status::text, t.requires
        from public.invoice_transitions as t
        where t.table_name = moves.table_name and t.from_status = moves.from_status and t.role = caller_role
        order by t.to_status;
    end if;
end
$function$;

comment on function app.moves(text, text) is
    'Returns the status changes that the caller''s role may make from a status, with the required fields. '
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

create or replace function app.describe_next_statuses(table_name text, from_status text)
    returns text
    language plpgsql stable set search_path = ''
as $function$
declare
    possible constant text := (
        select pg_catalog.string_agg(m.to_status, ', ')
        from app.moves(describe_next_statuses.table_name, describe_next_statuses.from_status) as m
    );
begin
    return case
        when possible is null then 'from ' || describe_next_statuses.from_status || ' you can move it no further'
        else 'from ' || describe_next_statuses.from_status || ' you can move it to ' || possible
    end;
end
$function$;

comment on function app.describe_next_statuses(text, text) is
    'Returns the list of statuses that can follow a given status, as the end of an error message.';

create or replace function app.check_move(table_name text, from_status text, record jsonb)
    returns void
    language plpgsql stable set search_path = ''
as $function$
declare
    target constant text := check_move.record ->> 'status';
    missing_fields text[];
begin
    select app.missing(m.requires, check_move.record)
    into missing_fields
    from app.moves(check_move.table_name, check_move.from_status) as m
    where m.to_status = target;
    if not found then
        raise exception 'in %, this role may not change the status % to %', check_move.table_name, check_move.from_status, target
            using
                errcode = 'TX409',
                detail = pg_catalog.jsonb_build_object(
                    'status',
                    pg_catalog.format(
                        'cannot be %s now: %s', target, app.describe_next_statuses(check_move.table_name, check_move.from_status)
                    )
                ),
                hint = pg_catalog.jsonb_build_array(
                    'move_not_allowed',
                    pg_catalog.jsonb_build_object(
                        'from', check_move.from_status,
                        'to', target,
                        'moves', array(
                            select m.to_status from app.moves(check_move.table_name, check_move.from_status) as m
                        )
                    )
                );
    end if;
    if missing_fields <> '{}' then
        raise exception 'a change to % requires %', target, pg_catalog.array_to_string(missing_fields, ', ')
            using
                errcode = 'TX409',
                detail = (
                    select pg_catalog.jsonb_object_agg(l.field, 'is needed for the move to ' || target)
                    from pg_catalog.unnest(missing_fields) as l (field)
                ),
                hint = pg_catalog.jsonb_build_array('required.move', pg_catalog.jsonb_build_object('to', target));
    end if;
end
$function$;

comment on function app.check_move(text, text, jsonb) is
    'Refuses (TX409) a status change that the caller''s role may not make or that lacks a required field. The '
    'parameter `record` is the row after the change. The error''s detail is JSON with the reasons by field, and its '
    'hint is JSON with a code of the reason.';
grant execute on function
    app.moves(text, text),
    app.missing(text[], jsonb),
    app.describe_next_statuses(text, text),
    app.check_move(text, text, jsonb)
to taxclaims_client, taxclaims_admin, taxclaims_definer;
