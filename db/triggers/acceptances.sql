-- Who accepted and who withdrew is whoever logged in, at that moment; what was written stays, to a superuser as well.

create or replace function app.keep_acceptance()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
begin
    if tg_op = 'INSERT' then
        new.accepted_by := session_user;
        new.accepted_at := pg_catalog.clock_timestamp();
        new.withdrawn_by := null;
        new.withdrawn_at := null;
        return new;
    end if;
    if tg_op = 'UPDATE' and old.withdrawn_at is null then
        -- All but the withdrawal is as it was.
        new := old;
        new.withdrawn_by := session_user;
        new.withdrawn_at := pg_catalog.clock_timestamp();
        return new;
    end if;
    raise exception 'what was accepted, and by whom, stays on record' using errcode = 'insufficient_privilege';
end
$function$;

comment on function app.keep_acceptance() is
    'Trigger of audit.acceptances: says who accepts and who withdraws, and refuses any other change, to a superuser as '
    'well.';

create or replace trigger acceptances_keep
    before insert or update or delete on audit.acceptances
    for each row
    execute function app.keep_acceptance();

create or replace trigger acceptances_keep_all
    before truncate on audit.acceptances
    for each statement
    execute function app.keep_acceptance();
