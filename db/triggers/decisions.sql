-- Who accepted or archived, and who withdrew or removed, is whoever logged in, at that moment; what was written stays, to a
-- superuser as well. The arguments are what was done and what ends it, as the columns …_by and …_at name them.
create or replace function app.keep_decision()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
declare
    signed constant jsonb := pg_catalog.jsonb_build_object('by', session_user, 'at', pg_catalog.clock_timestamp());
    done constant text := tg_argv[0];
    ended constant text := tg_argv[1];
begin
    if tg_op = 'INSERT' then
        return pg_catalog.jsonb_populate_record(
            new,
            pg_catalog.jsonb_build_object(
                done || '_by', signed -> 'by', done || '_at', signed -> 'at', ended || '_by', null, ended || '_at', null
            )
        );
    end if;
    if tg_op = 'UPDATE' and pg_catalog.to_jsonb(old) ->> (ended || '_at') is null then
        -- All but the end is as it was.
        return pg_catalog.jsonb_populate_record(
            old,
            pg_catalog.jsonb_build_object(ended || '_by', signed -> 'by', ended || '_at', signed -> 'at')
        );
    end if;
    raise exception 'what was %, and by whom, stays on record', done using errcode = 'insufficient_privilege';
end
$function$;

comment on function app.keep_decision() is
    'Trigger of audit.acceptances and audit.archives: says who decides and who ends that, and refuses any other change, to a '
    'superuser as well.';

create or replace trigger acceptances_keep
    before insert or update or delete on audit.acceptances
    for each row execute function app.keep_decision('accepted', 'withdrawn');

create or replace trigger acceptances_keep_all
    before truncate on audit.acceptances
    for each statement execute function app.keep_decision('accepted', 'withdrawn');

create or replace trigger archives_keep
    before insert or update or delete on audit.archives
    for each row execute function app.keep_decision('archived', 'removed');

create or replace trigger archives_keep_all
    before truncate on audit.archives
    for each statement execute function app.keep_decision('archived', 'removed');
