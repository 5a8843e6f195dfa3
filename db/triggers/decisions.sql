-- Signs a decision with session_user and the time, and keeps it from changes. The arguments name the columns: …_by and
-- …_at of the decision and of its end.
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
        return pg_catalog.jsonb_populate_record(
            old,
            pg_catalog.jsonb_build_object(ended || '_by', signed -> 'by', ended || '_at', signed -> 'at')
        );
    end if;
    raise exception 'what was %, and by whom, stays on record', done using errcode = 'insufficient_privilege';
end
$function$;

comment on function app.keep_decision() is
    'Trigger of audit.acceptances and audit.archives: signs a decision and its end, and refuses other changes, to '
    'superusers too.';

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
