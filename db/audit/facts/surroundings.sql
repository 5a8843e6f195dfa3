-- The first deploy on a bought Postgres records in audit.applied what the provider had made before. What is in
-- audit.surroundings and not in audit.applied is new since then.
create view audit.surroundings with (security_invoker) as
select
    'earlier role' as kind,
    r.rolname::text as object,
    pg_catalog.concat_ws(
        ', ',
        case when r.rolcanlogin then 'LOGIN' end,
        case when r.rolsuper then 'SUPERUSER' end,
        case when r.rolbypassrls then 'BYPASSRLS' end,
        case when r.rolcreaterole then 'CREATEROLE' end,
        case when r.rolcreatedb then 'CREATEDB' end,
        case when r.rolreplication then 'REPLICATION' end
    ) as definition
from pg_catalog.pg_roles as r
where (r.oid >= 16384 or r.oid = 10) and not exists (select from audit.house_roles as h where h.oid = r.oid)
union all
select
    'earlier membership',
    pg_catalog.format('%s in %s', pg_catalog.pg_get_userbyid(m.member_oid), pg_catalog.pg_get_userbyid(m.role_oid)),
    case when pg_catalog.bool_or(m.admin_option) then 'with admin option' else '' end
from audit.memberships as m
where not exists (select from audit.house_roles as h where h.oid in (m.member_oid, m.role_oid))
group by m.member_oid, m.role_oid
union all
select
    'earlier right',
    pg_catalog.format('%s to %s', r.privilege, r.grantee),
    case when pg_catalog.bool_or(r.is_grantable) then 'with grant option' else '' end
from audit.rights as r
where r.kind = 'database' and not exists (select from audit.house_roles as h where h.oid = r.grantee_oid)
group by r.privilege, r.grantee
union all
select
    'earlier setting',
    pg_catalog.format('%s for %s', option.option_name, r.rolname),
    pg_catalog.string_agg(option.option_value, ' and ' order by option.option_value)
from pg_catalog.pg_db_role_setting as kept
join pg_catalog.pg_roles as r on r.oid = kept.setrole
cross join lateral pg_catalog.pg_options_to_table(kept.setconfig) as option
where kept.setdatabase in (
        0,
        (select d.oid from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database())
    )
    and not exists (select from audit.house_roles as h where h.oid = r.oid)
group by option.option_name, r.rolname
union all
select 'earlier extension', e.extname, pg_catalog.pg_get_userbyid(e.extowner)
from pg_catalog.pg_extension as e;

comment on view audit.surroundings is
    'Roles, memberships, rights to this database, settings of roles and extensions, in the form in which the first deploy '
    'on a bought Postgres records those that are there before it.';
comment on column audit.surroundings.definition is 'What the audit compares with the recorded surroundings.';

create function audit.is_surrounding(kind text, object text)
    returns boolean
    language sql stable set search_path = ''
begin atomic
    select exists (
        select
        from audit.applied as a
        join audit.surroundings as s on s.kind = a.kind and s.object = a.object and s.definition = a.definition
        where a.kind = 'earlier ' || is_surrounding.kind and a.object = is_surrounding.object
            and exists (select from audit.menders())
    );
end;

comment on function audit.is_surrounding(text, text) is
    'True if the first deploy recorded the object, and the object is still the same.';

create function audit.is_surrounding_role(role oid)
    returns boolean
    language sql stable set search_path = ''
begin atomic
    select
        exists (select from audit.menders())
        and not exists (
            select
            from audit.reached_roles as reached
            join pg_catalog.pg_roles as r on r.oid = reached.reached_oid
            where reached.role_oid = is_surrounding_role.role
                and not exists (select from audit.house_roles as h where h.oid = r.oid)
                and (
                    r.oid >= 16384 and not audit.is_surrounding('role', r.rolname)
                    or exists (
                        select
                        from audit.memberships as m
                        where m.member_oid = r.oid
                            and not exists (select from audit.house_roles as h where h.oid = m.role_oid)
                            and not audit.is_surrounding(
                                'membership',
                                pg_catalog.format('%s in %s', r.rolname, pg_catalog.pg_get_userbyid(m.role_oid))
                            )
                    )
                )
        );
end;

comment on function audit.is_surrounding_role(oid) is
    'True if the role, the roles that it reaches and its memberships are as the first deploy recorded them.';
