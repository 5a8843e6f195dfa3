-- audit.rights leaves out the objects of extensions, because audit.extension_members checks them.
create view audit.rights with (security_invoker) as
with extension_members as materialized (
    select b.classid, b.objid from audit.extension_members() as b
)
select
    held.kind,
    held.object,
    held.column_name,
    held.owner,
    x.grantee as grantee_oid,
    coalesce(r.rolname, 'PUBLIC') as grantee,
    x.privilege_type as privilege,
    x.is_grantable,
    x.grantor as grantor_oid
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
        and ('pg_catalog.pg_class'::regclass, c.oid) not in (select b.classid, b.objid from extension_members as b)
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
    where ('pg_catalog.pg_proc'::regclass, f.oid) not in (select b.classid, b.objid from extension_members as b)
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

comment on view audit.rights is 'Rights in the access lists of this application''s objects, except those of owners.';
comment on column audit.rights.grantee_oid is 'Oid of the role that has the right; 0 is PUBLIC.';
comment on column audit.rights.grantor_oid is 'Oid of the role that granted the right.';
comment on column audit.rights.grantee is 'Name of the role that has the right.';
comment on column audit.rights.is_grantable is 'True if the role may grant the right to others.';
comment on column audit.rights.kind is 'Kind of the object: table, view, sequence, function, schema or database.';

-- A REVOKE on a table also revokes the right on single columns, so audit.revoke_statements grants these column rights
-- again.
create view audit.revoke_statements with (security_invoker) as
select
    r.*,
    pg_catalog.format(
        'revoke %s%s on %s %s from %s;',
        r.privilege,
        coalesce(' (' || pg_catalog.quote_ident(r.column_name) || ')', ''),
        case r.kind when 'view' then 'table' when 'function' then 'routine' else r.kind end,
        case r.kind
            when 'schema' then pg_catalog.quote_ident(r.object)
            when 'database' then pg_catalog.quote_ident(pg_catalog.current_database())
            else r.object
        end,
        case r.grantee_oid when 0 then 'public' else pg_catalog.quote_ident(r.grantee) end
    )
    || coalesce(
        (
            select pg_catalog.format(
                ' grant %s (%s) on table %s to %s;',
                r.privilege,
                pg_catalog.string_agg(pg_catalog.quote_ident(c.column_name), ', ' order by c.column_name),
                r.object,
                case r.grantee_oid when 0 then 'public' else pg_catalog.quote_ident(r.grantee) end
            )
            from audit.rights as c
            where r.column_name is null
                and r.kind in ('table', 'view')
                and c.kind = r.kind
                and c.object = r.object
                and c.grantee_oid = r.grantee_oid
                and c.privilege = r.privilege
                and c.column_name is not null
            having pg_catalog.count(*) > 0
        ),
        ''
    ) as statement
from audit.rights as r;

comment on view audit.revoke_statements is 'Rights in the view audit.rights, each with the SQL statement that revokes it.';
comment on column audit.revoke_statements.statement is 'SQL statement that revokes the right in this row and no other right.';
