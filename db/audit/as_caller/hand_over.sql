-- This file makes each request role the owner of one function of schema audit; taxclaims_client, for example, becomes
-- the owner of audit.as_client. The administrator runs this file, because taxclaims_owner cannot become a request role.
-- In one transaction the file grants the memberships and rights that a change of owner needs, and revokes them again.
do $hand_over$
declare
    caller_function record;
    borrowed boolean;
begin
    for caller_function in
        select f.oid::regprocedure as signature, h.name as role, h.oid as role_oid
        from pg_catalog.pg_proc as f
        join audit.house_roles as h
            on h.purpose = 'request' and f.proname = pg_catalog.replace(h.name, 'taxclaims_', 'as_')
        where f.pronamespace = 'audit'::regnamespace
    loop
        borrowed := not pg_catalog.pg_has_role(
            current_user,
            caller_function.role_oid,
            -- Since Postgres 16 a membership may exist without the right to SET ROLE.
            case when pg_catalog.current_setting('server_version_num')::integer < 160000 then 'MEMBER' else 'SET' end
        );
        if borrowed then
            execute pg_catalog.format('grant %I to %I', caller_function.role, current_user);
        end if;
        execute pg_catalog.format('grant create on schema audit to %I', caller_function.role);
        execute pg_catalog.format('alter function %s owner to %I', caller_function.signature, caller_function.role);
        execute pg_catalog.format('revoke create on schema audit from %I', caller_function.role);
        if borrowed then
            execute pg_catalog.format('revoke %I from %I', caller_function.role, current_user);
        end if;
    end loop;
end
$hand_over$;
