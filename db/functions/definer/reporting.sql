-- A DBA's grant to a reporting login is a change of rights, and so leaves an audit record in its own transaction:
-- what was done for which login (action), whose data (client_context), and by which login (actor).
create or replace function app.record_reporting_grant()
    returns trigger
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
begin
    insert into public.audit_logs (actor, action, resource_type, client_context, success)
    values (
        session_user,
        case tg_op
            when 'DELETE' then 'reporting.revoke_client ' || old.login
            else 'reporting.grant_client ' || new.login
        end,
        'reporting.grants',
        case tg_op when 'DELETE' then old.client_id else new.client_id end,
        true
    );
    return null;
end
$function$;

comment on function app.record_reporting_grant() is
    'Trigger of reporting.grants: leaves an audit record of each grant and each revocation.';

revoke execute on function app.record_reporting_grant() from public;
grant execute on function app.record_reporting_grant() to taxclaims_owner;
