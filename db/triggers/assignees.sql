create or replace trigger reclamations_check_first_assignee
    after insert on public.reclamations
    for each row
    when (new.assignee_id is not null)
    execute function app.check_assignee();

create or replace trigger reclamations_check_assignee
    after update of assignee_id on public.reclamations
    for each row
    when (new.assignee_id is not null and new.assignee_id is distinct from old.assignee_id)
    execute function app.check_assignee();

create or replace trigger users_note_lost_clients
    after update of role, client_access on public.users
    for each row
    when (old.client_access <> new.client_access or old.role <> new.role)
    execute function app.note_lost_clients();

create or replace trigger lost_clients_unassign
    before update on app.lost_clients
    for each row
    execute function app.unassign_lost_client();
