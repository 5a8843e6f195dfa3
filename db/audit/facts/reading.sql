create view audit.views_of_application_tables with (security_invoker) as
with recursive reads as (
    select distinct
        w.ev_class as relation,
        d.refobjid as source
    from pg_catalog.pg_rewrite as w
    join pg_catalog.pg_depend as d
        on d.classid = 'pg_catalog.pg_rewrite'::regclass
        and d.objid = w.oid
        and d.refclassid = 'pg_catalog.pg_class'::regclass
        and d.refobjid <> w.ev_class
    union
    -- A superuser can forge rows of pg_depend, so the query also finds tables in the stored rules of views outside this
    -- application.
    select w.ev_class, named.relation[1]::oid
    from pg_catalog.pg_rewrite as w
    join pg_catalog.pg_class as c on c.oid = w.ev_class and c.oid >= 16384
    cross join lateral pg_catalog.regexp_matches(w.ev_action::text, ':relid (\d+)', 'g') as named (relation)
    where not exists (select from audit.house_schemas as s where s.oid = c.relnamespace)
        and named.relation[1]::oid <> w.ev_class
), reaches as (
    select reads.relation, reads.source from reads
    union
    select r.relation, deeper.source
    from reaches as r
    join reads as deeper on deeper.relation = r.source
)
select
    c.oid,
    pg_catalog.format('%I.%I', n.nspname, c.relname) as name,
    c.relkind,
    coalesce(
        (
            select option.option_value::boolean
            from pg_catalog.pg_options_to_table(c.reloptions) as option
            where option.option_name = 'security_invoker'
        ),
        false
    ) as security_invoker,
    t.name as table_name
from reaches as r
join pg_catalog.pg_class as c on c.oid = r.relation
join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
join audit.house_tables as t on t.oid = r.source;

comment on view audit.views_of_application_tables is
    'Views that read a table of this application, directly or through other views.';
comment on column audit.views_of_application_tables.security_invoker is 'True if the view reads with its caller''s rights.';
comment on column audit.views_of_application_tables.name is 'Schema and view.';
