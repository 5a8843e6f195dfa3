-- A login can reach rows in every way that is open to one of its roles or to PUBLIC (role_oid 0).
create view audit.policy_bypass_ways with (security_invoker) as
select
    'outside_within_reach' as way,
    o.role_oid,
    pg_catalog.format('reaches the %s %s, which %s', o.kind, o.object, o.what) as reason
from audit.reach_through_others as o
union all
select 'function_unbounded', f.role_oid, pg_catalog.format('runs %s, written in %s', f.object, f.language)
from audit.policy_bypassing_functions as f
where f.is_unbounded and not f.runs_as_owner and f.role_oid is not null
union all
select 'function_leakproof', f.role_oid, pg_catalog.format('runs %s, which sees rows before the policies do', f.object)
from audit.policy_bypassing_functions as f
where f.is_leakproof and f.role_oid is not null
union all
select 'inherited_table', r.grantee_oid, pg_catalog.format('reads %s, a parent of %s', p.object, p.child)
from audit.inheritance_parents as p
join audit.relation_rights as r on r.relation_oid = p.parent_oid
union all
select 'catalog_right', r.role_oid, pg_catalog.format('%s on %s', r.privilege, r.object)
from audit.catalog_rights as r
union all
select 'foreign_server', s.role_oid, pg_catalog.format('%s: %s', s.object, s.what)
from audit.server_rights as s
union all
select 'parameter_granted', p.role_oid, pg_catalog.format('%s on parameter %s', p.privilege, p.name)
from audit.parameter_rights as p
union all
select 'setting_stored', s.role_oid, pg_catalog.format('starts with %s=%s', s.name, s.value)
from audit.stored_settings as s
where not s.is_harmless
union all
select
    'login_reaches_privilege',
    l.login_oid,
    coalesce('in ' || l.by_role || ': ', '') || pg_catalog.array_to_string(l.powers, ', ')
from audit.login_powers as l
union all
select 'database_owner', o.login_oid, o.reason
from audit.database_owners as o
union all
select 'login_becomes_login', m.login_oid, 'can become the login ' || m.other
from audit.logins_that_can_become_logins as m;

comment on view audit.policy_bypass_ways is
    'Ways in which a role can reach a tenant''s rows without the policies. For audit.who_can_see.';
comment on column audit.policy_bypass_ways.role_oid is 'Oid of the role that can reach the rows; 0 is everybody.';
comment on column audit.policy_bypass_ways.reason is 'Description of how the role can reach the rows.';

-- audit.login_ways lists logins that can connect to this database, and logins with a power that works from every
-- database, but no superusers.
create view audit.login_ways with (security_invoker) as
select distinct
    l.rolname as login,
    w.way,
    w.reason
from audit.policy_bypass_ways as w
join lateral (
    select r.role_oid from audit.reached_roles as r where r.reached_oid = w.role_oid
    union all
    select r.oid from pg_catalog.pg_roles as r where w.role_oid = 0 and not r.rolsuper
) as goes on true
join pg_catalog.pg_roles as l on l.oid = goes.role_oid and l.rolcanlogin
where w.way in ('login_reaches_privilege', 'database_owner') or exists (select from audit.logins as here where here.oid = l.oid);

comment on view audit.login_ways is 'Ways in which a login can reach a tenant''s rows without the policies.';
