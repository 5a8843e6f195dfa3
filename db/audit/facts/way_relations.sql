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
