create view audit.finding_foreign_owner with (security_invoker) as
select
    'error' as level,
    o.kind || ' ' || o.object as object,
    'belongs to ' || pg_catalog.pg_get_userbyid(o.owner) as detail,
    o.returned as remedy,
    case
        when not audit.may_act_as(o.owner)
            then pg_catalog.format('%s may change this object: deploy into a database of its own', pg_catalog.pg_get_userbyid(o.owner))
    end as provider
from audit.house_objects as o
where o.owner <> (select h.oid from audit.house_roles as h where h.name = 'taxclaims_owner')
    and not (o.is_definer and exists (select from audit.house_roles as h where h.oid = o.owner))
    -- In a new database the schema public belongs to pg_database_owner or to a superuser.
    and not (
        o.kind = 'schema'
        and o.object = 'public'
        and exists (
            select
            from pg_catalog.pg_roles as r
            where r.oid = o.owner and (r.rolsuper or r.rolname = 'pg_database_owner')
        )
    )
    and not exists (select from audit.extension_members() as b where b.classid = o.catalog and b.objid = o.oid);

comment on view audit.finding_foreign_owner is
    'A role other than taxclaims_owner owns an object of this application and can disable the object''s protection. '
    'Cause: an object made by hand. Mend: alter … owner to the declared owner.';
