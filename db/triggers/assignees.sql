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

create or replace trigger users_unassign_inaccessible_claims
    after update of role, client_access on public.users
    for each row
    when (
        (old.client_access <> new.client_access or old.role <> new.role)
        and not (new.role = 'ADMIN' and new.client_access = '{}')
    )
    execute function app.unassign_inaccessible_claims();
