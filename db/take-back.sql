-- Takes back what only the administrator can, once the owner and the definer have taken back what is theirs. What the
-- administrator may not do either is left as it is, and stays drift.

-- What is to be granted tomorrow by itself: as Postgres has it by default, but that nobody may run a function of the
-- owner's, the definer's or the housekeeper's unless it is granted to them.
do $defaults$
declare
    standing record;
    command text;
begin
    for standing in
        select
            pg_catalog.format(
                'alter default privileges for role %I%s',
                r.rolname,
                case when n.nspname is null then '' else pg_catalog.format(' in schema %I', n.nspname) end
            ) as beginning,
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
            for command in
                select distinct pg_catalog.format(
                    'revoke all on %s from %s cascade',
                    standing.objects,
                    case x.grantee when 0 then 'public' else x.grantee::regrole::text end
                )
                from pg_catalog.aclexplode(standing.defaclacl) as x
                union all
                select pg_catalog.format(
                    'grant %s on %s to %s',
                    x.privilege_type,
                    standing.objects,
                    case x.grantee when 0 then 'public' else x.grantee::regrole::text end
                )
                from pg_catalog.aclexplode(standing.ordinary) as x
            loop
                execute standing.beginning || ' ' || command;
            end loop;
        exception
            when insufficient_privilege then null;
        end;
    end loop;
    alter default privileges for role taxclaims_owner, taxclaims_definer, taxclaims_housekeeper
        revoke execute on functions from public;
end
$defaults$;

-- Triggers that were switched off, or fire for a replica: only a foreign key's own are left by now, and only a
-- superuser switches them on.
do $triggers$
declare
    disarmed regclass;
begin
    for disarmed in
        select distinct t.tgrelid::regclass
        from pg_catalog.pg_trigger as t
        join pg_catalog.pg_class as c on c.oid = t.tgrelid
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        where n.nspname in ('public', 'app', 'reporting', 'audit') and t.tgenabled <> 'O'
    loop
        begin
            execute pg_catalog.format('alter table %s enable trigger all', disarmed);
        exception
            when insufficient_privilege then null;
        end;
    end loop;
end
$triggers$;

-- The group that the release before had for its identity provider's login; another database of this server may still
-- have it.
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
