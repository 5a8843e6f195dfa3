create view audit.finding_large_objects with (security_invoker) as
select
    'error' as level,
    pg_catalog.format('large object %s', m.oid) as object,
    pg_catalog.format('%s may %s its data, which has no policies', granted.to_whom, granted.what) as detail,
    pg_catalog.format('revoke all on large object %s from %s;', m.oid, granted.to_whom) as remedy,
    case
        when not audit.may_act_as(m.lomowner)
            then 'its data is open to others: store none of your own in large objects'
    end as provider
from pg_catalog.pg_largeobject_metadata as m
cross join lateral (
    select
        case x.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(x.grantee)) end as to_whom,
        pg_catalog.string_agg(case x.privilege_type when 'SELECT' then 'read' else 'change' end, ' and ' order by x.privilege_type) as what
    from pg_catalog.aclexplode(m.lomacl) as x
    where x.grantee <> m.lomowner
    group by x.grantee
) as granted;

comment on view audit.finding_large_objects is
    'A role can read or change large objects of another role, which have no policies. Cause: a grant. Mend: run the SQL '
    'in the column remedy.';
