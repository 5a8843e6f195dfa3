create view audit.finding_foreign_owner with (security_invoker) as
select
    'error' as level,
    o.kind || ' ' || o.object as object,
    'belongs to ' || pg_catalog.pg_get_userbyid(o.owner) as detail,
    pg_catalog.format('alter %s %s owner to taxclaims_owner;', o.kind, o.object) as remedy
from (
    select
        case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end as kind,
        pg_catalog.format('%I.%I', s.name, c.relname) as object,
        c.relowner as owner,
        'pg_catalog.pg_class'::regclass as catalog,
        c.oid
    from pg_catalog.pg_class as c
    join audit.house_schemas as s on s.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select 'function', f.oid::regprocedure::text, f.proowner, 'pg_catalog.pg_proc'::regclass, f.oid
    from pg_catalog.pg_proc as f
    join audit.house_schemas as s on s.oid = f.pronamespace
    where not f.prosecdef or not exists (select from audit.house_roles as h where h.oid = f.proowner)
    union all
    select 'schema', n.nspname, n.nspowner, 'pg_catalog.pg_namespace'::regclass, n.oid
    from pg_catalog.pg_namespace as n
    join audit.house_schemas as s on s.oid = n.oid
    -- In a new database the schema public belongs to pg_database_owner or to a superuser.
    where n.nspname <> 'public'
        or not exists (
            select
            from pg_catalog.pg_roles as r
            where r.oid = n.nspowner and (r.rolsuper or r.rolname = 'pg_database_owner')
        )
) as o
where o.owner <> (select h.oid from audit.house_roles as h where h.name = 'taxclaims_owner')
    and not exists (select from audit.extension_members() as b where b.classid = o.catalog and b.objid = o.oid);

comment on view audit.finding_foreign_owner is
    'A role other than taxclaims_owner owns an object of this application and can disable the object''s protection. '
    'Cause: an object made by hand. Mend: alter … owner to taxclaims_owner, or drop the object.';
