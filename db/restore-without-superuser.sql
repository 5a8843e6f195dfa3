-- With the help of this file an administrator without SUPERUSER restores a dump into an empty database ("Without a
-- superuser" in README.md). Run it in one transaction, after house-roles.sql and before pg_restore. db:migrate takes back
-- the rights that this file grants on schemas; the page revokes the memberships in request roles.

-- pg_restore gives objects to these roles and grants rights to these objects. For this the administrator needs the rights
-- of each of the roles.
do $memberships$
declare
    role name;
begin
    for role in
        select h.name
        from pg_catalog.jsonb_to_recordset(pg_catalog.current_setting('deploy.house_roles')::jsonb) as h (name name, purpose text)
        where h.purpose in ('back', 'request')
    loop
        execute pg_catalog.format(
            'grant %I to %I%s',
            role,
            current_user,
            case when pg_catalog.current_setting('server_version_num')::integer >= 160000 then ' with inherit true, set true' end
        );
    end loop;
end
$memberships$;

-- With --schema, pg_restore creates no schema.
create schema app authorization taxclaims_owner;
create schema reporting authorization taxclaims_owner;
create schema audit authorization taxclaims_owner;
create schema audit_log authorization taxclaims_owner;

-- A new owner of a table or function needs CREATE on its schema.
do $schemas$
declare
    role name;
begin
    for role in
        select h.name
        from pg_catalog.jsonb_to_recordset(pg_catalog.current_setting('deploy.house_roles')::jsonb) as h (name name, purpose text)
        where h.purpose in ('back', 'request')
    loop
        execute pg_catalog.format('grant create, usage on schema public, app, reporting, audit, audit_log to %I', role);
    end loop;
end
$schemas$;
