-- audit.reaching_roles follows memberships, and leaves out superusers, DBAs and the roles that own this application's
-- objects.
create view audit.reaching_roles with (security_invoker) as
select
    reaching.role_oid,
    coalesce(r.rolname, 'PUBLIC') as role,
    pg_catalog.bool_or(reaching.in_group) as in_group
from (
    select 0::oid as role_oid, true as in_group
    union all
    select h.oid, true from audit.house_roles as h
    union all
    select reached.reached_oid, pg_catalog.cardinality(l.groups) > 0
    from audit.logins as l
    join audit.reached_roles as reached on reached.role_oid = l.oid
    where not l.is_dba and (not l.is_administrator or pg_catalog.cardinality(l.groups) > 0)
) as reaching
left join pg_catalog.pg_roles as r on r.oid = reaching.role_oid
where coalesce(not r.rolsuper, true)
    and not exists (select from audit.house_roles as h where h.oid = reaching.role_oid and h.purpose = 'back')
group by reaching.role_oid, r.rolname;

comment on view audit.reaching_roles is
    'PUBLIC, the roles of requests and logins, and the roles that a login of this database has or can become.';
comment on column audit.reaching_roles.in_group is
    'True for PUBLIC, a role of this application, and a role that a login of taxclaims_api, taxclaims_reporting or '
    'taxclaims_auditor has or can become.';
comment on column audit.reaching_roles.role_oid is 'Oid of the role; 0 is PUBLIC.';

-- audit.reach_through_others does not ask which tables an object reads: a function hides that, and a copy does not tell.
create view audit.reach_through_others with (security_invoker) as
with extension_members as materialized (
    select b.objid from audit.extension_members() as b where b.classid = 'pg_catalog.pg_class'::regclass
), relations as (
    select
        c.oid,
        c.relkind,
        c.relowner,
        pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
        -- Postgres runs each rule of a view as the view's owner, except the SELECT of a view with security_invoker.
        c.relkind = 'v' and not exists (select from pg_catalog.pg_rewrite as w where w.ev_class = c.oid and w.rulename <> '_RETURN') as is_plain_view,
        exists (
            select
            from pg_catalog.pg_options_to_table(c.reloptions) as option
            where option.option_name = 'security_invoker' and option.option_value::boolean
        ) as security_invoker
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    -- Relations with an oid below 16384 are built-in.
    where c.oid >= 16384
        and c.oid not in (select b.objid from extension_members as b)
        and case
            -- Other audit findings report the tables and sequences in the schemas of this application.
            when n.nspname = 'audit_log' or exists (select from audit.house_schemas as s where s.oid = n.oid) then c.relkind in ('v', 'm', 'f')
            else c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
                and not exists (select from audit.inheritance_parents as p where p.parent_oid = c.oid)
        end
)
select
    reached.kind,
    reached.object,
    reached.oid,
    reached.what,
    reached.mend,
    reached.is_passed_on,
    reached.owner as owner_oid,
    r.role_oid,
    r.role
from (
    select
        case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' when 'S' then 'sequence' else 'table' end as kind,
        c.object,
        c.oid,
        c.relowner as owner,
        x.grantee_oid as role_oid,
        case c.relkind
            when 'v' then 'runs with the rights of '
            when 'm' then 'shows what was read with the rights of '
            when 'f' then 'shows rows of another server and belongs to '
            else 'shows what others wrote and belongs to '
        end || pg_catalog.pg_get_userbyid(c.relowner) as what,
        case
            when c.is_plain_view then pg_catalog.format('alter view %s set (security_invoker = true);', c.object)
            else pg_catalog.format('revoke all on %s %s from', case c.relkind when 'S' then 'sequence' else 'table' end, c.object)
        end as mend,
        x.grantor_oid <> c.relowner as is_passed_on
    from relations as c
    join audit.relation_rights as x on x.relation_oid = c.oid and x.grantee_oid <> c.relowner
    where not (c.is_plain_view and c.security_invoker)
    union all
    select
        'routine',
        f.object,
        f.oid,
        f.owner_oid,
        f.role_oid,
        'runs with the rights of ' || f.owner,
        pg_catalog.format('alter routine %s security invoker;', f.object),
        false
    from audit.policy_bypassing_functions as f
    where f.runs_as_owner
    union all
    select
        'schema',
        pg_catalog.quote_ident(n.nspname),
        n.oid,
        n.nspowner,
        x.grantee,
        'lets others create objects and belongs to ' || pg_catalog.pg_get_userbyid(n.nspowner),
        pg_catalog.format('revoke create on schema %I from', n.nspname),
        x.grantor <> n.nspowner
    from pg_catalog.pg_namespace as n
    cross join lateral pg_catalog.aclexplode(n.nspacl) as x
    where x.privilege_type = 'CREATE'
        and x.grantee <> n.nspowner
        -- The audit finding create_or_temp reports the schemas of this application.
        and not exists (select from audit.house_schemas as s where s.oid = n.oid)
) as reached
join audit.reaching_roles as r on r.role_oid = reached.role_oid
where r.in_group or reached.owner in (select s.oid from audit.roles_that_may_see_rows as s)
union
-- Logins that can become the same role share what the role owns.
select
    'role',
    pg_catalog.quote_ident(r.rolname),
    r.oid,
    pg_catalog.format('owns %s objects of this database, such as %s', owned.objects, owned.example),
    'revoke ' || m.revoked || ';',
    false,
    m.grantor_oid,
    l.oid,
    l.name
from audit.logins as l
join audit.reached_roles as reached on reached.role_oid = l.oid and reached.by_oid is not null
join audit.memberships as m on m.member_oid = l.oid and m.role_oid = reached.by_oid
join pg_catalog.pg_roles as r on r.oid = reached.reached_oid and r.oid >= 16384
cross join lateral (
    -- The view does not call pg_describe_object, because its text depends on the language of the session.
    select pg_catalog.count(*) as objects, pg_catalog.min(o.type || ' ' || o.identity) as example
    from pg_catalog.pg_shdepend as d
    cross join lateral pg_catalog.pg_identify_object(d.classid, d.objid, d.objsubid) as o
    where d.refclassid = 'pg_catalog.pg_authid'::regclass
        and d.refobjid = r.oid
        and d.deptype = 'o'
        and d.dbid = (select b.oid from pg_catalog.pg_database as b where b.datname = pg_catalog.current_database())
) as owned
where pg_catalog.cardinality(l.groups) > 0
    and owned.objects > 0
    -- Other audit findings report a login that reaches a role of this application, a superuser, the owner of the
    -- database or another login.
    and not r.rolsuper
    and r.oid not in (select d.datdba from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database())
    and not exists (select from audit.house_roles as h where h.oid in (r.oid, reached.by_oid))
    and not exists (select from audit.logins as other where other.oid = r.oid);

comment on view audit.reach_through_others is
    'Objects that this application does not declare, and the roles that reach them with rights that are not their own.';
comment on column audit.reach_through_others.owner_oid is 'Owner of the object; of a membership the role that granted it.';
comment on column audit.reach_through_others.what is 'Why a role reaches more than its own rights allow.';
comment on column audit.reach_through_others.is_passed_on is 'True if a role with GRANT OPTION, not the owner, granted the right.';
comment on column audit.reach_through_others.mend is
    'SQL statement that takes the right away; if it ends with `from`, the roles are still to be added.';
