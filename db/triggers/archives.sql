-- Who archived and who removed is whoever logged in, at that moment; what was written stays, to a superuser as well.

create or replace function app.keep_archive()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
begin
    if tg_op = 'INSERT' then
        new.archived_by := session_user;
        new.archived_at := pg_catalog.clock_timestamp();
        new.removed_by := null;
        new.removed_at := null;
        return new;
    end if;
    if tg_op = 'UPDATE' and old.removed_at is null then
        -- All but the removal is as it was.
        new := old;
        new.removed_by := session_user;
        new.removed_at := pg_catalog.clock_timestamp();
        return new;
    end if;
    raise exception 'what was archived, and by whom, stays on record' using errcode = 'insufficient_privilege';
end
$function$;

comment on function app.keep_archive() is
    'Trigger of audit.archives: says who archives and who removes, and refuses any other change, to a superuser as well.';

create or replace trigger archives_keep
    before insert or update or delete on audit.archives
    for each row
    execute function app.keep_archive();

create or replace trigger archives_keep_all
    before truncate on audit.archives
    for each statement
    execute function app.keep_archive();
