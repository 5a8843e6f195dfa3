create or replace function app.check_reclamation_move()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
begin
    perform app.check_move('reclamations', old.status, pg_catalog.to_jsonb(new));
    if new.status = 'SUBMITTED' then
        new.submitted_at := coalesce(new.submitted_at, pg_catalog.clock_timestamp());
    end if;
    return new;
end
$function$;

comment on function app.check_reclamation_move() is
    'Trigger of reclamations that refuses (TX409) status changes that are not allowed or lack a field, and sets '
    'submitted_at when the claim is first sent.';

create or replace trigger reclamations_check_move
    before update of status on public.reclamations
    for each row
    when (old.status <> new.status)
    execute function app.check_reclamation_move();

create or replace trigger reclamations_record_move
    after update of status on public.reclamations
    for each row
    when (old.status <> new.status)
    execute function app.record_reclamation_move();
