-- The life of a claim: which move is allowed to whom stands in reclamation_transitions, and nowhere else.

-- Refuses a move that the table does not list for the caller's role (TX409). Outside a request, as for a
-- DBA at psql, the rules of an ADMIN hold. A first submission is dated when nobody dated it.
create or replace function app.check_reclamation_move()
    returns trigger
    language plpgsql
    volatile
    set search_path = ''
as $function$
declare
    mover constant text := coalesce(app.role(), 'ADMIN');
begin
    if not exists (
        select
        from public.reclamation_transitions as t
        where t.from_status = old.status and t.to_status = new.status and t.role = mover
    ) then
        raise exception 'a claim does not move from % to % by this role', old.status, new.status using errcode = 'TX409';
    end if;
    if new.status = 'SUBMITTED' then
        new.submitted_at := coalesce(new.submitted_at, pg_catalog.clock_timestamp());
    end if;
    return new;
end
$function$;

comment on function app.check_reclamation_move() is
    'Trigger of reclamations: refuses (TX409) a move that reclamation_transitions does not list for the role, and '
    'dates the first submission.';

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
