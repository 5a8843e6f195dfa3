create view audit.finding_login_owns with (security_invoker) as
select
    'error' as level,
    l.name as object,
    pg_catalog.format(
        'owns %s objects of this database, such as %s',
        pg_catalog.count(*),
        pg_catalog.min(o.type || ' ' || o.identity)
    ) as detail,
    -- The statement gives objects of this application back. Postgres has no owner for the login's own objects that is
    -- safe to name without reading them.
    coalesce(pg_catalog.string_agg(h.returned, ' ' order by h.kind desc, h.object), '')
    || case
        when pg_catalog.count(h.oid) = pg_catalog.count(*) then ''
        else case when pg_catalog.count(h.oid) > 0 then '  -- and ' else '' end
            || 'give each of the other objects to a role that cannot log in (alter … owner to), or drop it by its name and without cascade'
    end as remedy
from audit.logins as l
join pg_catalog.pg_shdepend as d
    on d.refclassid = 'pg_catalog.pg_authid'::regclass
    and d.refobjid = l.oid
    and d.deptype = 'o'
    and d.classid <> 'pg_catalog.pg_user_mapping'::regclass
    and d.dbid = (select b.oid from pg_catalog.pg_database as b where b.datname = pg_catalog.current_database())
-- The view does not call pg_describe_object, because its text depends on the language of the session.
cross join lateral pg_catalog.pg_identify_object(d.classid, d.objid, d.objsubid) as o
left join audit.house_objects as h on h.catalog = d.classid and h.oid = d.objid
where pg_catalog.cardinality(l.groups) > 0 and not l.is_administrator
group by l.name;

comment on view audit.finding_login_owns is
    'A login owns objects in this database. Cause: alter … owner to, or create schema … authorization. Mend: change '
    'the owner of the objects.';
