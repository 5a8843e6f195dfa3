-- The cast of roles: every one without a login, a password, or a way past row-level security.
-- Run by the administrator on every deploy, before the migrations. A deployment makes its own logins
-- and puts each into exactly one of taxclaims_api, taxclaims_reporting and taxclaims_auditor.

do $roles$
declare
    wanted text;
begin
    foreach wanted in array array[
        'taxclaims_owner',
        'taxclaims_definer',
        'taxclaims_api',
        'taxclaims_admin',
        'taxclaims_scoped_admin',
        'taxclaims_account_manager',
        'taxclaims_tax_specialist',
        'taxclaims_client',
        'taxclaims_reporting',
        'taxclaims_reporting_all',
        'taxclaims_reporting_few',
        'taxclaims_auditor'
    ]
    loop
        if not exists (select from pg_catalog.pg_roles where rolname = wanted) then
            -- Owner, definer and API hold memberships for `set role` alone: what they may become must not
            -- already be theirs, neither its grants nor its policies.
            execute pg_catalog.format(
                'create role %I nologin %s',
                wanted,
                case when wanted in ('taxclaims_owner', 'taxclaims_definer', 'taxclaims_api') then 'noinherit' else 'inherit' end
            );
        end if;
        if exists (
            select from pg_catalog.pg_roles
            where rolname = wanted and (rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)
        ) then
            raise exception 'role % may log in or is privileged: it must be neither', wanted
                using errcode = 'invalid_role_specification';
        end if;
    end loop;
end
$roles$;

grant
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist,
    taxclaims_client
to taxclaims_api;

-- A login has all clients by being in taxclaims_reporting_all, and a quick way to its few by being in
-- taxclaims_reporting_few; only functions of the definer's put it there. To give these roles to others is all that the
-- definer may do with them.
do $additions$
declare
    addition text;
begin
    foreach addition in array array['taxclaims_reporting_all', 'taxclaims_reporting_few']
    loop
        if not exists (
            select
            from pg_catalog.pg_auth_members as m
            where m.roleid = addition::regrole and m.member = 'taxclaims_definer'::regrole and m.admin_option
        ) then
            execute pg_catalog.format(
                'grant %I to taxclaims_definer with %s',
                addition,
                -- Before 16 there is no more to say: the definer does not inherit, and nobody becomes the definer but
                -- the administrator.
                case
                    when pg_catalog.current_setting('server_version_num')::integer < 160000 then 'admin option'
                    else 'admin true, inherit false, set false'
                end
            );
        end if;
    end loop;
end
$additions$;

-- An administrator who is no superuser works as the owner and the definer by membership.
do $membership$
begin
    if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
        execute pg_catalog.format('grant taxclaims_owner, taxclaims_definer to %I', current_user);
    end if;
end
$membership$;

do $database$
begin
    execute pg_catalog.format('revoke all on database %I from public', pg_catalog.current_database());
    execute pg_catalog.format(
        'grant connect on database %I to taxclaims_api, taxclaims_reporting, taxclaims_auditor',
        pg_catalog.current_database()
    );
    execute pg_catalog.format('grant create on database %I to taxclaims_owner', pg_catalog.current_database());
end
$database$;

create schema if not exists app authorization taxclaims_owner;

revoke all on schema public from public;
grant usage, create on schema public to taxclaims_owner;
grant usage on schema public to
    taxclaims_definer,
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist,
    taxclaims_client;
-- Reporting reads the views of its own schema. They need the rights to columns of the tables, and Postgres asks for the
-- schema only where a name is looked up: without it the tables are out of reach, and no tool offers them beside the views.
revoke all on schema public from taxclaims_reporting;

-- Anyone may make large objects unless told otherwise, and they know no row-level security.
revoke execute on function
    pg_catalog.lo_create(oid),
    pg_catalog.lo_creat(integer),
    pg_catalog.lo_from_bytea(oid, bytea)
from public;

-- A lock of one's own invention takes room in the table of all locks, which the whole server shares: one session that
-- fills it stops every other, and no limit of a login bounds that. Only the key of a repeated request needs one.
do $advisory$
declare
    taking regprocedure;
begin
    for taking in
        select f.oid
        from pg_catalog.pg_proc as f
        where f.pronamespace = 'pg_catalog'::regnamespace
            and f.proname ~ '^pg_(try_)?advisory_(xact_)?lock(_shared)?$'
            and pg_catalog.has_function_privilege('public', f.oid, 'EXECUTE')
    loop
        execute pg_catalog.format('revoke execute on function %s from public', taking);
    end loop;
    if not pg_catalog.has_function_privilege('taxclaims_definer', 'pg_catalog.pg_try_advisory_xact_lock(bigint)', 'EXECUTE') then
        grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint) to taxclaims_definer;
    end if;
end
$advisory$;
