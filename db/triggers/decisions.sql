-- app.sign_and_protect_decision stores session_user and the time when somebody accepts, withdraws, archives or removes.
-- Each trigger argument is a prefix of two columns: 'accepted', for example, stands for accepted_by and accepted_at.
create or replace function app.sign_and_protect_decision()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
declare
    signature constant jsonb := pg_catalog.jsonb_build_object('by', session_user, 'at', pg_catalog.clock_timestamp());
    decision_prefix constant text := tg_argv[0];
    end_prefix constant text := tg_argv[1];
begin
    if tg_op = 'INSERT' then
        return pg_catalog.jsonb_populate_record(
            new,
            pg_catalog.jsonb_build_object(
                decision_prefix || '_by', signature -> 'by', decision_prefix || '_at', signature -> 'at', end_prefix || '_by', null, end_prefix || '_at', null
            )
        );
    end if;
    if tg_op = 'UPDATE' and pg_catalog.to_jsonb(old) ->> (end_prefix || '_at') is null then
        return pg_catalog.jsonb_populate_record(
            old,
            pg_catalog.jsonb_build_object(end_prefix || '_by', signature -> 'by', end_prefix || '_at', signature -> 'at')
        );
    end if;
    raise exception 'a row that was % cannot be changed or deleted', decision_prefix using errcode = 'insufficient_privilege';
end
$function$;

comment on function app.sign_and_protect_decision() is
    'Trigger of audit.acceptances and audit.archives that stores who accepted, archived, withdrew or removed something '
    'and when, and refuses other changes, even by superusers.';

create or replace trigger acceptances_refuse_change
    before insert or update or delete on audit.acceptances
    for each row execute function app.sign_and_protect_decision('accepted', 'withdrawn');

create or replace trigger acceptances_refuse_truncate
    before truncate on audit.acceptances
    for each statement execute function app.sign_and_protect_decision('accepted', 'withdrawn');

create or replace trigger archives_refuse_change
    before insert or update or delete on audit.archives
    for each row execute function app.sign_and_protect_decision('archived', 'removed');

create or replace trigger archives_refuse_truncate
    before truncate on audit.archives
    for each statement execute function app.sign_and_protect_decision('archived', 'removed');

-- `enable always`: the triggers also run while session_replication_role is replica.
alter table audit.acceptances enable always trigger acceptances_refuse_change;
alter table audit.acceptances enable always trigger acceptances_refuse_truncate;
alter table audit.archives enable always trigger archives_refuse_change;
alter table audit.archives enable always trigger archives_refuse_truncate;
