-- app.restrict_note_changes runs with the rights of the role that updates the note. Outside a request a DBA may change
-- every column of a note.
create or replace function app.restrict_note_changes()
    returns trigger
    language plpgsql stable set search_path = ''
as $function$
begin
    if app.role() is not null and old.author_id is distinct from app.user_id() then
        raise exception 'only the author may change a note: others may only mark a task as done'
            using errcode = 'insufficient_privilege';
    elsif app.role() = 'CLIENT' and (new.due_on, new.assignee_id) is distinct from (old.due_on, old.assignee_id) then
        raise exception 'a CLIENT cannot create or assign a task' using errcode = 'insufficient_privilege';
    end if;
    return new;
end
$function$;

comment on function app.restrict_note_changes() is
    'Trigger of notes that refuses (42501) changes by users other than the author, except of done_at, and refuses a '
    'task that a CLIENT creates.';

create or replace trigger notes_restrict_changes
    before update on public.notes
    for each row
    when (
        -- The columns are compared one by one, because pg_dump prints a comparison of two rows differently after a
        -- restore.
        (
            new.text <> old.text
            or new.internal <> old.internal
            or new.due_on is distinct from old.due_on
            or new.assignee_id is distinct from old.assignee_id
        )
        and current_user <> 'taxclaims_definer'
    )
    execute function app.restrict_note_changes();

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
