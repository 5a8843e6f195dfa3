create view audit.finding_login_owns with (security_invoker) as
select
    'error' as level,
    l.name as object,
    pg_catalog.format(
        'owns %s objects of this database, such as %s',
        pg_catalog.count(*),
        pg_catalog.min(o.type || ' ' || o.identity)
    ) as detail,
    pg_catalog.format('drop owned by %I cascade;  -- after a check of these objects', l.name) as remedy
from audit.logins as l
join pg_catalog.pg_shdepend as d
    on d.refclassid = 'pg_catalog.pg_authid'::regclass
    and d.refobjid = l.oid
    and d.deptype = 'o'
    and d.classid <> 'pg_catalog.pg_user_mapping'::regclass
    and d.dbid = (select b.oid from pg_catalog.pg_database as b where b.datname = pg_catalog.current_database())
-- The view does not call pg_describe_object, because its text depends on the language of the session.
cross join lateral pg_catalog.pg_identify_object(d.classid, d.objid, d.objsubid) as o
where pg_catalog.cardinality(l.groups) > 0 and not l.is_administrator
group by l.name;

comment on view audit.finding_login_owns is
    'A login owns objects in this database. Cause: alter … owner to, or create schema … authorization. Mend: drop the '
    'login''s objects, or change their owner.';
