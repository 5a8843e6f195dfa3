create view audit.relation_grantees with (security_invoker) as
select distinct
    c.oid as relation_oid,
    x.grantee_oid as role_oid,
    coalesce(r.rolname, 'PUBLIC') as role
from pg_catalog.pg_class as c
join audit.relation_rights as x on x.relation_oid = c.oid
left join pg_catalog.pg_roles as r on r.oid = x.grantee_oid
-- Tables with an oid below 16384 are built-in.
where c.oid >= 16384
    and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and x.grantee_oid <> c.relowner
    and x.privilege in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    and coalesce(not r.rolsuper, true);

comment on view audit.relation_grantees is 'Roles with a right to the rows of a table or view, except owner and superusers.';
comment on column audit.relation_grantees.relation_oid is 'Oid of the table or view in pg_class.';

create view audit.unprotected_copies with (security_invoker) as
with outside_tables as (
    select c.oid, c.relkind
    from pg_catalog.pg_class as c
    where c.oid >= 16384
        and c.relkind in ('r', 'p')
        and c.relpersistence <> 't'
        and not exists (select from audit.house_schemas as s where s.oid = c.relnamespace)
        and exists (select from audit.relation_grantees as r where r.relation_oid = c.oid)
), business as (
    select t.oid, t.name, a.attname, pg_catalog.count(*) over (partition by t.oid) as columns
    from audit.house_tables as t
    join pg_catalog.pg_attribute as a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    where t.name like 'public.%'
), similar_tables as (
    -- Postgres does not record from which table an INSERT copied rows, so the query finds copies by their column names.
    select e.oid, b.name, pg_catalog.count(*) as shared, b.columns
    from outside_tables as e
    join pg_catalog.pg_attribute as a on a.attrelid = e.oid and a.attnum > 0 and not a.attisdropped
    join business as b on b.attname = a.attname
    group by e.oid, b.name, b.columns
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
from audit.views_of_application_tables as v
where v.relkind in ('m', 'f')
    or (v.relkind in ('r', 'p') and not exists (select from audit.house_tables as t where t.oid = v.oid))
union
select c.oid, c.relkind, 'a foreign table'
from pg_catalog.pg_class as c
where c.relkind = 'f' and exists (select from audit.relation_grantees as r where r.relation_oid = c.oid)
union
select a.oid, 'r', pg_catalog.format('looks like a copy: it has %s of the %s columns of %s', a.shared, a.columns, a.name)
from similar_tables as a;

comment on view audit.unprotected_copies is 'Copies of tenants'' rows that no policy protects.';

-- Everybody with a right to the parent table reads the rows of the child table through the parent. Without a grant on
-- the parent table, only the parent's owner can read the child's rows.
create view audit.inheritance_parents with (security_invoker) as
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
    -- The audit finding audit_month_differs checks the partitions of the audit log.
    and (pg_catalog.format('%I.%I', n.nspname, parent.relname), pg_catalog.format('%I.%I', cn.nspname, child.relname))
        <> ('public.audit_logs', 'audit_log.months')
    and (
        exists (select from audit.house_tables as t where t.oid = i.inhparent)
        or exists (select from audit.house_tables as t where t.oid = i.inhrelid)
    );

comment on view audit.inheritance_parents is 'Tables that inherit from, or are inherited by, tables of this application.';
comment on column audit.inheritance_parents.parent_oid is 'Oid of the parent table.';
comment on column audit.inheritance_parents.child is 'Schema and name of the child table.';
