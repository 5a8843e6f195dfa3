-- Postgres runs triggers in the order of their names: the days of a claim are derived from what a move has set.
create or replace trigger reclamations_apply_move
    before update on public.reclamations
    for each row
    when (
        old.status <> new.status
        or old.amount <> new.amount
        or old.granted_amount is distinct from new.granted_amount
    )
    execute function app.apply_reclamation_move();

create or replace trigger reclamations_refuse_sent_delete
    before delete on public.reclamations
    for each row execute function app.refuse_sent_delete();
