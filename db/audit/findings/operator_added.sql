create view audit.finding_operator_added with (security_invoker) as
with added as (
    select
        'operator' as kind,
        o.oid,
        o.oid::regoperator::text as object,
        'pg_catalog.pg_operator'::regclass as catalog
    from pg_catalog.pg_operator as o
    -- Operators and types with an oid below 16384 are built-in. Operators for types that are not built-in are allowed.
    where o.oid >= 16384 and o.oprleft < 16384 and o.oprright < 16384
    union all
    select
        'cast',
        c.oid,
        pg_catalog.format(
            '(%s as %s)',
            pg_catalog.format_type(c.castsource, null),
            pg_catalog.format_type(c.casttarget, null)
        ),
        'pg_catalog.pg_cast'::regclass
    from pg_catalog.pg_cast as c
    -- An explicit cast is harmless, unless both of its types are built-in.
    where c.oid >= 16384 and (c.castcontext <> 'e' or (c.castsource < 16384 and c.casttarget < 16384))
)
select
    'error' as level,
    a.kind || ' ' || a.object as object,
    'is for built-in types, and Postgres may choose it instead of the one that a policy uses' as detail,
    pg_catalog.format('drop %s %s;', a.kind, a.object) as remedy
from added as a
where not exists (
    select
    from audit.extension_members() as b
    join pg_catalog.pg_extension as e on e.oid = b.extension
    join audit.known_extensions() as h on h.name = e.extname
    where b.classid = a.catalog and b.objid = a.oid
);

comment on view audit.finding_operator_added is
    'A comparison in a policy or a query may call an added function that returns true for every row. Cause: create '
    'operator or create cast for types of Postgres. Mend: drop the operator or cast.';
