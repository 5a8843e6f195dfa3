create view audit.stored_settings with (security_invoker) as
select
    kept.setrole as role_oid,
    r.rolname as role,
    option.option_name as name,
    option.option_value as value,
    audit.is_harmless(known.category, option.option_name, option.option_value) as is_harmless,
    pg_catalog.format(
        'alter %s reset %I;',
        case
            when r.rolname is null and kept.setdatabase = 0 then 'role all'
            when r.rolname is null then pg_catalog.format('database %I', pg_catalog.current_database())
            when kept.setdatabase = 0 then pg_catalog.format('role %I', r.rolname)
            else pg_catalog.format('role %I in database %I', r.rolname, pg_catalog.current_database())
        end,
        option.option_name
    ) as remedy,
    case
        when not (r.rolname is null and kept.setdatabase <> 0)
            and (
                audit.is_surrounding('setting', pg_catalog.format('%s for %s', option.option_name, r.rolname))
                or kept.setrole = 0 and not audit.may_act_as(10)
                or kept.setrole <> 0 and not audit.may_take_attribute(kept.setrole, 'setting')
            )
            then 'the provider has stored it: give people and programs logins of their own, and set it otherwise in the database'
    end as provider
from pg_catalog.pg_db_role_setting as kept
left join pg_catalog.pg_roles as r on r.oid = kept.setrole
cross join lateral pg_catalog.pg_options_to_table(kept.setconfig) as option
left join pg_catalog.pg_settings as known on known.name = option.option_name
where kept.setdatabase in (
        0,
        (select d.oid from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database())
    )
    -- audit.stored_settings leaves out logins that cannot connect to this database.
    and (
        kept.setrole = 0
        or r.rolsuper
        or exists (select from audit.house_roles as h where h.oid = kept.setrole)
        or exists (select from audit.logins as l where l.oid = kept.setrole)
    );

comment on view audit.stored_settings is 'Settings stored for roles or for this database.';
comment on column audit.stored_settings.value is 'Value of the setting.';
comment on column audit.stored_settings.is_harmless is 'True if the setting cannot reveal rows hidden by policies.';
comment on column audit.stored_settings.role is 'Name of the role to which the setting applies; null means every role.';
comment on column audit.stored_settings.role_oid is 'Oid of the role to which the setting applies; 0 means every role.';

create view audit.parameter_rights with (security_invoker) as
select
    p.parname as name,
    x.grantee as role_oid,
    coalesce(r.rolname, 'PUBLIC') as role,
    x.privilege_type as privilege,
    x.grantor as grantor_oid
from pg_catalog.pg_parameter_acl as p
cross join lateral pg_catalog.aclexplode(p.paracl) as x
left join pg_catalog.pg_roles as r on r.oid = x.grantee
where coalesce(not r.rolsuper, true)
    -- audit.parameter_rights leaves out the right to SET a harmless setting in a session.
    and not (
        x.privilege_type = 'SET'
        and exists (
            select
            from audit.harmless_settings as h
            join pg_catalog.pg_settings as s on s.category like h.category and s.name like h.name
            where pg_catalog.lower(s.name) = p.parname
        )
    );

comment on view audit.parameter_rights is 'Rights of roles without SUPERUSER to change settings.';
comment on column audit.parameter_rights.grantor_oid is 'Role that granted the right.';
comment on column audit.parameter_rights.privilege is
    'Right to the setting (SET for a session, or ALTER SYSTEM for the server).';
