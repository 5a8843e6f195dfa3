create function audit.expression_text(tree pg_node_tree, relation oid)
    returns text
    language sql stable
    set standard_conforming_strings = on
    set search_path = ''
return pg_catalog.pg_get_expr(tree, relation);

comment on function audit.expression_text(pg_node_tree, oid) is
    'Text of a stored expression, such as the condition of a policy, independent of the session''s settings. The views '
    'of schema audit call this function.';

create view audit.house_schemas with (security_invoker) as
select
    n.oid,
    n.nspname as name
from pg_catalog.pg_namespace as n
where n.nspname in ('public', 'app', 'reporting', 'audit');

comment on view audit.house_schemas is 'Schemas of this application.';

create view audit.house_roles with (security_invoker) as
select
    r.oid,
    r.rolname as name,
    h.purpose,
    h.extends,
    h.place
from app.house_roles() as h
join pg_catalog.pg_roles as r on r.rolname = h.name;

comment on view audit.house_roles is 'Database roles of this application, none of which may log in.';
comment on column audit.house_roles.purpose is
    '`request`: API requests run as the role; `group`: logins are members of the role; `addition`: the role is a '
    'second role of some logins; `back`: the role owns objects.';
comment on column audit.house_roles.extends is
    'The role whose rights this application role inherits; null if there is none.';
comment on column audit.house_roles.place is 'Order of printing.';

create view audit.relation_rights with (security_invoker) as
select c.oid as relation_oid, acl.grantee as grantee_oid, acl.grantor as grantor_oid, acl.privilege_type as privilege
from pg_catalog.pg_class as c
cross join lateral pg_catalog.aclexplode(c.relacl) as acl
union all
select a.attrelid, acl.grantee, acl.grantor, acl.privilege_type
from pg_catalog.pg_attribute as a
cross join lateral pg_catalog.aclexplode(a.attacl) as acl
where a.attacl is not null;

comment on view audit.relation_rights is 'Rights that are granted on tables, views and their columns.';
comment on column audit.relation_rights.relation_oid is 'Oid of the table or view in pg_class.';
comment on column audit.relation_rights.grantor_oid is 'Oid of the role that granted the right.';
comment on column audit.relation_rights.grantee_oid is 'Oid of the role that has the right; 0 is PUBLIC.';

create view audit.house_tables with (security_invoker) as
select
    c.oid,
    pg_catalog.format('%I.%I', s.name, c.relname) as name,
    c.relowner as owner,
    c.relrowsecurity as row_security,
    c.relforcerowsecurity as forced
from pg_catalog.pg_class as c
join audit.house_schemas as s on s.oid = c.relnamespace
where c.relkind in ('r', 'p');

comment on view audit.house_tables is 'Tables of this application.';
comment on column audit.house_tables.row_security is 'True if row-level security is on.';
comment on column audit.house_tables.forced is 'True if row-level security also applies to the owner.';
comment on column audit.house_tables.name is 'Schema and table.';

create view audit.house_objects with (security_invoker) as
select
    o.*,
    -- An object of the declared state gets its declared owner. A function that no file declares must not run as its new
    -- owner.
    case when o.is_definer and declared.owner is null then pg_catalog.format('alter function %s security invoker; ', o.object) else '' end
    || pg_catalog.format('alter %s %s owner to %I;', o.kind, o.object, coalesce(declared.owner, 'taxclaims_owner')) as returned
from (
    select
        case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end as kind,
        pg_catalog.format('%I.%I', s.name, c.relname) as object,
        c.relowner as owner,
        false as is_definer,
        'pg_catalog.pg_class'::regclass as catalog,
        c.oid
    from pg_catalog.pg_class as c
    join audit.house_schemas as s on s.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select 'function', f.oid::regprocedure::text, f.proowner, f.prosecdef, 'pg_catalog.pg_proc'::regclass, f.oid
    from pg_catalog.pg_proc as f
    join audit.house_schemas as s on s.oid = f.pronamespace
    union all
    select 'schema', pg_catalog.quote_ident(n.nspname), n.nspowner, false, 'pg_catalog.pg_namespace'::regclass, n.oid
    from pg_catalog.pg_namespace as n
    join audit.house_schemas as s on s.oid = n.oid
) as o
left join lateral (
    select (pg_catalog.regexp_match(a.definition, '(?:rel|pro|nsp)owner ([^; ]+)'))[1] as owner
    from audit.applied as a
    where a.kind = o.kind and a.object = o.object
) as declared on true;

comment on view audit.house_objects is 'Tables, views, sequences, functions and schemas of this application.';
comment on column audit.house_objects.is_definer is 'True for a SECURITY DEFINER function.';
comment on column audit.house_objects.catalog is 'Oid of the catalog table that has the object''s row.';
comment on column audit.house_objects.returned is 'SQL that gives the object back to the owner that the repository declares.';
