-- Runs as the writer. Outside a request a DBA may change everything.
create or replace function app.keep_note()
    returns trigger
    language plpgsql stable set search_path = ''
as $function$
begin
    if app.role() is not null and old.author_id is distinct from app.user_id() then
        raise exception 'a note is its author''s to change: others only end a task'
            using errcode = 'insufficient_privilege';
    elsif app.role() = 'CLIENT' and (new.due_on, new.assignee_id) is distinct from (old.due_on, old.assignee_id) then
        raise exception 'a CLIENT makes and gives no task' using errcode = 'insufficient_privilege';
    end if;
    return new;
end
$function$;

comment on function app.keep_note() is
    'Trigger of notes: refuses (42501) a change of anything but done_at to whoever is not the author, and a task of a '
    'CLIENT''s.';

create or replace trigger notes_keep
    before update on public.notes
    for each row
    when (
        -- Compared as two rows they would be printed in another form after a restore.
        (
            new.text <> old.text
            or new.internal <> old.internal
            or new.due_on is distinct from old.due_on
            or new.assignee_id is distinct from old.assignee_id
        )
        and current_user <> 'taxclaims_definer'
    )
    execute function app.keep_note();

create or replace trigger notes_check_first_assignee
    after insert on public.notes
    for each row
    when (new.assignee_id is not null)
    execute function app.check_assignee();

create or replace trigger notes_check_assignee
    after update of assignee_id, internal on public.notes
    for each row
    when (
        new.assignee_id is not null
        and (new.assignee_id is distinct from old.assignee_id or (new.internal and not old.internal))
    )
    execute function app.check_assignee();
