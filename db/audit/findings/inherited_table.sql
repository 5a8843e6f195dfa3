create view audit.finding_inherited_table with (security_invoker) as
select
    'error' as level,
    p.object,
    pg_catalog.format('is a parent of %s, whose rows it shows without their policies', p.child) as detail,
    p.remedy
from audit.inheritance_parents as p;

comment on view audit.finding_inherited_table is
    'A query of the parent table shows rows of the child table without the child''s policies. Cause: alter table … '
    'inherit, or a partition. Mend: end the inheritance, or detach the partition.';
