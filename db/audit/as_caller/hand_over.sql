-- Gives each audit.as_… to its role. The administrator does it, since taxclaims_owner cannot become a request role, and
-- gives the borrowed rights back in the same transaction.
do $hand_over$
declare
    door record;
    borrowed boolean;
begin
    for door in
        select f.oid::regprocedure as signature, h.name as role, h.oid as role_oid
        from pg_catalog.pg_proc as f
        join audit.house_roles as h
            on h.purpose = 'request' and f.proname = pg_catalog.replace(h.name, 'taxclaims_', 'as_')
        where f.pronamespace = 'audit'::regnamespace
    loop
        borrowed := not pg_catalog.pg_has_role(
            current_user,
            door.role_oid,
            -- Since Postgres 16 a membership may lack the right to become the role.
            case when pg_catalog.current_setting('server_version_num')::integer < 160000 then 'MEMBER' else 'SET' end
        );
        if borrowed then
            execute pg_catalog.format('grant %I to %I', door.role, current_user);
        end if;
        execute pg_catalog.format('grant create on schema audit to %I', door.role);
        execute pg_catalog.format('alter function %s owner to %I', door.signature, door.role);
        execute pg_catalog.format('revoke create on schema audit from %I', door.role);
        if borrowed then
            execute pg_catalog.format('revoke %I from %I', door.role, current_user);
        end if;
    end loop;
end
$hand_over$;
