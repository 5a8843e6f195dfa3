-- A right or a policy for a role that is none of the house's is one that no file here gives.
create view audit.finding_rights_outside_house with (security_invoker) as
select
    'error' as level,
    r.kind || ' ' || r.object as object,
    pg_catalog.format('%s is held by %s', r.privilege, r.grantee) as detail,
    r.statement as remedy
from audit.revocations as r
where not exists (select from audit.house_roles as h where h.oid = r.grantee_oid)
    -- What has a finding of its own has one.
    and r.privilege not in ('TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN', 'CREATE', 'TEMPORARY')
    and not exists (
        select
        from audit.definer_functions as f
        where r.kind = 'function' and f.object = r.object
    )
    -- A DBA connects by a right of its own, for the owner logs in nowhere.
    and not (
        r.kind = 'database'
        and r.privilege = 'CONNECT'
        and not r.is_grantable
        and exists (select from audit.logins as l where l.oid = r.grantee_oid and l.is_dba)
    )
union all
select
    'error',
    p.name || ' on ' || p.table_name,
    'the policy is for ' || pg_catalog.pg_get_userbyid(member.oid),
    pg_catalog.format('name the roles it is meant for: alter policy %I on %s to …', p.name, p.table_name)
from audit.policies as p
cross join lateral pg_catalog.unnest(p.role_oids) as member (oid)
where member.oid <> 0 and not exists (select from audit.house_roles as h where h.oid = member.oid);

comment on view audit.finding_rights_outside_house is
    'A role that no file of the repository names holds a right or a policy. Comes of a grant by hand, often to a '
    'login directly. Mend: revoke it, and put the login into one of the groups.';
