create view audit.readers with (security_invoker) as
select distinct
    c.oid as relation_oid,
    x.grantee as role_oid,
    coalesce(r.rolname, 'PUBLIC') as role
from pg_catalog.pg_class as c
cross join lateral (
    select acl.grantee, acl.privilege_type
    from pg_catalog.aclexplode(c.relacl) as acl
    union all
    select acl.grantee, acl.privilege_type
    from pg_catalog.pg_attribute as a
    cross join lateral pg_catalog.aclexplode(a.attacl) as acl
    where a.attrelid = c.oid and a.attacl is not null
) as x
left join pg_catalog.pg_roles as r on r.oid = x.grantee
-- Below this Postgres made them.
where c.oid >= 16384
    and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and x.grantee <> c.relowner
    and x.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    and coalesce(not r.rolsuper, true);

comment on view audit.readers is 'Who holds a right to the rows of a table or a view, beside its owner and superusers.';
comment on column audit.readers.relation_oid is 'In pg_class.';

create view audit.copies with (security_invoker) as
with elsewhere as (
    select c.oid, c.relkind
    from pg_catalog.pg_class as c
    where c.oid >= 16384
        and c.relkind in ('r', 'p')
        and c.relpersistence <> 't'
        and not exists (select from audit.house_schemas as s where s.oid = c.relnamespace)
        and exists (select from audit.readers as r where r.relation_oid = c.oid)
), business as (
    select t.oid, t.name, a.attname, pg_catalog.count(*) over (partition by t.oid) as columns
    from audit.house_tables as t
    join pg_catalog.pg_attribute as a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    where t.name like 'public.%'
), alike as (
    -- A table that was filled by hand depends on nothing: it is known by its columns.
    select e.oid, b.name, pg_catalog.count(*) as shared, b.columns
    from elsewhere as e
    join pg_catalog.pg_attribute as a on a.attrelid = e.oid and a.attnum > 0 and not a.attisdropped
    join business as b on b.attname = a.attname
    group by e.oid, b.name, b.columns
    -- Three names such as id and created_at are everybody's.
    having pg_catalog.count(*) >= 4 and pg_catalog.count(*) * 2 >= b.columns
)
select distinct
    v.oid,
    v.relkind,
    case v.relkind
        when 'm' then 'a materialized view of '
        when 'f' then 'a foreign table over '
        else 'has a rule that reads '
    end || v.table_name as what
from audit.reading_relations as v
where v.relkind in ('m', 'f')
    or (v.relkind in ('r', 'p') and not exists (select from audit.house_tables as t where t.oid = v.oid))
union
select c.oid, c.relkind, 'a foreign table'
from pg_catalog.pg_class as c
where c.relkind = 'f' and exists (select from audit.readers as r where r.relation_oid = c.oid)
union
select a.oid, 'r', pg_catalog.format('looks like a copy: it has %s of the %s columns of %s', a.shared, a.columns, a.name)
from alike as a;

comment on view audit.copies is 'Where rows of tenants may stand or be read without their policies.';

-- A parent may be read by whoever holds a right to it; with none, by its owner.
create view audit.parents with (security_invoker) as
select
    i.inhparent as parent_oid,
    pg_catalog.format('%I.%I', n.nspname, parent.relname) as object,
    pg_catalog.format('%I.%I', cn.nspname, child.relname) as child,
    case
        when child.relispartition
            then pg_catalog.format('alter table %I.%I detach partition %I.%I;', n.nspname, parent.relname, cn.nspname, child.relname)
        else pg_catalog.format('alter table %I.%I no inherit %I.%I;', cn.nspname, child.relname, n.nspname, parent.relname)
    end as remedy
from pg_catalog.pg_inherits as i
join pg_catalog.pg_class as parent on parent.oid = i.inhparent
join pg_catalog.pg_namespace as n on n.oid = parent.relnamespace
join pg_catalog.pg_class as child on child.oid = i.inhrelid
join pg_catalog.pg_namespace as cn on cn.oid = child.relnamespace
where parent.relkind in ('r', 'p', 'f')
    -- The months of the audit log are closed to whoever names them, and have a finding of their own.
    and (pg_catalog.format('%I.%I', n.nspname, parent.relname), pg_catalog.format('%I.%I', cn.nspname, child.relname))
        <> ('public.audit_logs', 'audit_log.months')
    and (
        exists (select from audit.house_tables as t where t.oid = i.inhparent)
        or exists (select from audit.house_tables as t where t.oid = i.inhrelid)
    );

comment on view audit.parents is 'Tables that inherit to or from a table of the house.';
comment on column audit.parents.parent_oid is 'The parent, in pg_class.';
comment on column audit.parents.child is 'Schema and name of the child.';
