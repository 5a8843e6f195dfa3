-- Every right that stands in an access list: on tables, columns, functions, schemas and the database itself.
create view audit.rights with (security_invoker) as
select
    held.kind,
    held.object,
    held.column_name,
    held.owner,
    x.grantee as grantee_oid,
    coalesce(r.rolname, 'PUBLIC') as grantee,
    x.privilege_type as privilege,
    x.is_grantable
from (
    select
        case c.relkind when 'v' then 'view' when 'm' then 'view' when 'S' then 'sequence' else 'table' end as kind,
        pg_catalog.format('%I.%I', s.name, c.relname) as object,
        null::name as column_name,
        c.relowner as owner,
        coalesce(
            c.relacl,
            pg_catalog.acldefault((case c.relkind when 'S' then 's' else 'r' end)::"char", c.relowner)
        ) as acl
    from pg_catalog.pg_class as c
    join audit.house_schemas as s on s.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select
        case c.relkind when 'v' then 'view' when 'm' then 'view' else 'table' end,
        pg_catalog.format('%I.%I', s.name, c.relname),
        a.attname,
        c.relowner,
        a.attacl
    from pg_catalog.pg_attribute as a
    join pg_catalog.pg_class as c on c.oid = a.attrelid
    join audit.house_schemas as s on s.oid = c.relnamespace
    where a.attacl is not null
    union all
    select
        'function',
        pg_catalog.format('%I.%I(%s)', s.name, f.proname, pg_catalog.pg_get_function_identity_arguments(f.oid)),
        null,
        f.proowner,
        coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner))
    from pg_catalog.pg_proc as f
    join audit.house_schemas as s on s.oid = f.pronamespace
    union all
    select
        'schema',
        n.nspname,
        null,
        n.nspowner,
        coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))
    from pg_catalog.pg_namespace as n
    join audit.house_schemas as s on s.oid = n.oid
    union all
    select
        'database',
        'this database',
        null,
        d.datdba,
        coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))
    from pg_catalog.pg_database as d
    where d.datname = pg_catalog.current_database()
) as held
cross join lateral pg_catalog.aclexplode(held.acl) as x
left join pg_catalog.pg_roles as r on r.oid = x.grantee
where x.grantee <> held.owner;

comment on view audit.rights is 'Every right in an access list of the house, those of owners apart.';
comment on column audit.rights.kind is 'table, view, sequence, function, schema or database.';
comment on column audit.rights.object is 'Schema and name.';
comment on column audit.rights.column_name is 'The column; null where the right is to the whole.';
comment on column audit.rights.owner is 'The owner of the object, in pg_roles.';
comment on column audit.rights.grantee_oid is 'Who holds it, in pg_roles; 0 is PUBLIC.';
comment on column audit.rights.grantee is 'Who holds it by name.';
comment on column audit.rights.privilege is 'SELECT, INSERT, EXECUTE and so on.';
comment on column audit.rights.is_grantable is 'Whether the holder may pass it on.';

grant select on audit.rights to taxclaims_auditor;
