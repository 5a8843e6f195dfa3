create view audit.finding_inherited_table with (security_invoker) as
select
    'error' as level,
    p.object,
    pg_catalog.format('is a parent of %s: its rows are read through it without their policies', p.child) as detail,
    p.remedy
from audit.parents as p;

comment on view audit.finding_inherited_table is
    'A query of the parent shows rows of the child without the child''s policies. Comes of alter table … inherit, or '
    'of a partition. Mend: no inherit, or detach it.';
