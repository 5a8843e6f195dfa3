-- Undoes manual changes that only the administrator can undo, such as default privileges and disabled triggers. A
-- change that the administrator may not undo stays listed in audit.drift.

-- This DO block resets default privileges to those of Postgres, except that PUBLIC gets no EXECUTE on new functions of
-- the owner, the definer and the housekeeper.
do $defaults$
declare
    default_privilege record;
    command text;
begin
    for default_privilege in
        select
            pg_catalog.format(
                'alter default privileges for role %I%s',
                r.rolname,
                case when n.nspname is null then '' else pg_catalog.format(' in schema %I', n.nspname) end
            ) as beginning,
            r.rolname as role_name,
            case d.defaclobjtype
                when 'r' then 'tables'
                when 'S' then 'sequences'
                when 'f' then 'functions'
                when 'T' then 'types'
                when 'n' then 'schemas'
                else 'large objects'
            end as objects,
            d.defaclacl,
            case
                when d.defaclnamespace = 0
                    then pg_catalog.acldefault(
                        (case d.defaclobjtype when 'S' then 's' else d.defaclobjtype end)::"char",
                        d.defaclrole
                    )
            end as ordinary
        from pg_catalog.pg_default_acl as d
        join pg_catalog.pg_roles as r on r.oid = d.defaclrole
        left join pg_catalog.pg_namespace as n on n.oid = d.defaclnamespace
        where (
                n.nspname in ('public', 'app', 'reporting', 'audit')
                or r.rolname in (
                    select h.name
                    from pg_catalog.jsonb_to_recordset(pg_catalog.current_setting('deploy.house_roles')::jsonb) as h (name name)
                )
            )
            and not (
                r.rolname in ('taxclaims_owner', 'taxclaims_definer', 'taxclaims_housekeeper')
                and d.defaclobjtype = 'f'
                and n.nspname is null
                and not exists (select from pg_catalog.aclexplode(d.defaclacl) as x where x.grantee <> d.defaclrole)
            )
    loop
        begin
            -- The administrator may become these roles, but does not inherit all of them.
            if default_privilege.role_name in ('taxclaims_owner', 'taxclaims_definer', 'taxclaims_housekeeper') then
                execute pg_catalog.format('set local role %I', default_privilege.role_name);
            end if;
            for command in
                select distinct pg_catalog.format(
                    'revoke all on %s from %s cascade',
                    default_privilege.objects,
                    case x.grantee when 0 then 'public' else x.grantee::regrole::text end
                )
                from pg_catalog.aclexplode(default_privilege.defaclacl) as x
                union all
                select pg_catalog.format(
                    'grant %s on %s to %s',
                    x.privilege_type,
                    default_privilege.objects,
                    case x.grantee when 0 then 'public' else x.grantee::regrole::text end
                )
                from pg_catalog.aclexplode(default_privilege.ordinary) as x
            loop
                execute default_privilege.beginning || ' ' || command;
            end loop;
            reset role;
        exception
            when insufficient_privilege then null;
        end;
    end loop;
    set local role taxclaims_owner;
    alter default privileges revoke execute on functions from public;
    set local role taxclaims_definer;
    alter default privileges revoke execute on functions from public;
    set local role taxclaims_housekeeper;
    alter default privileges revoke execute on functions from public;
    reset role;
end
$defaults$;

-- This DO block enables disabled triggers of foreign keys, which only a superuser may do.
do $triggers$
declare
    table_with_disabled_trigger regclass;
begin
    for table_with_disabled_trigger in
        select distinct t.tgrelid::regclass
        from pg_catalog.pg_trigger as t
        join pg_catalog.pg_class as c on c.oid = t.tgrelid
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        where n.nspname in ('public', 'app', 'reporting', 'audit') and t.tgisinternal and t.tgenabled <> 'O'
    loop
        begin
            execute pg_catalog.format('alter table %s enable trigger all', table_with_disabled_trigger);
        exception
            when insufficient_privilege then null;
        end;
    end loop;
end
$triggers$;

-- A previous release created the role taxclaims_identity_provider, which another database may still use.
do $gone$
begin
    if exists (select from pg_catalog.pg_roles where rolname = 'taxclaims_identity_provider') then
        execute pg_catalog.format(
            'revoke all on database %I from taxclaims_identity_provider',
            pg_catalog.current_database()
        );
        drop role taxclaims_identity_provider;
    end if;
exception
    when dependent_objects_still_exist or insufficient_privilege then null;
end
$gone$;

-- Release 1.0.0 has app.record_login and app.users_who_see with other return types than this release. `create or
-- replace` cannot change a return type.
do $returning$
declare
    old_function regprocedure;
begin
    for old_function in
        select f.oid
        from pg_catalog.pg_proc as f
        join (
            values
                ('app.record_login(text, text, timestamp with time zone)', 'json'),
                ('app.users_who_see(uuid)', 'TABLE(email text, role text, reason text)')
        ) as v (function, result)
            on f.oid = pg_catalog.to_regprocedure(v.function) and pg_catalog.pg_get_function_result(f.oid) = v.result
    loop
        execute pg_catalog.format('drop function %s', old_function);
    end loop;
end $returning$;
