create view audit.policy_bypassing_functions with (security_invoker) as
with recursive extension_members as materialized (
    select b.objid from audit.extension_members() as b where b.classid = 'pg_catalog.pg_proc'::regclass
), candidates as (
    select
        f.oid,
        f.pronamespace,
        f.proowner,
        -- The audit finding definer_within_reach reports SECURITY DEFINER functions of this application.
        f.prosecdef
            and not exists (select from audit.definer_functions as d where d.oid = f.oid) as runs_as_owner,
        -- is_unbounded is true for a function in C, in language internal or in an untrusted language, unless
        -- audit.extension_members lists the function.
        (not l.lanpltrusted or l.lanname in ('c', 'internal'))
            and f.prokind <> 'a'
            and f.oid not in (select b.objid from extension_members as b) as is_unbounded,
        f.proleakproof,
        l.lanname,
        coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner)) as acl
    from pg_catalog.pg_proc as f
    join pg_catalog.pg_language as l on l.oid = f.prolang
    -- Functions with an oid below 16384 are built-in. Postgres has no built-in SECURITY DEFINER function.
    where (f.oid >= 16384 or f.prosecdef)
        and (f.prosecdef or f.proleakproof or not l.lanpltrusted or l.lanname in ('c', 'internal'))
), fired as (
    select candidates.oid, candidates.proowner, t.tgrelid as relation_oid
    from candidates
    join pg_catalog.pg_trigger as t on t.tgfoid = candidates.oid
    union
    -- A write to a table reaches its partitions and heirs, and the tables whose foreign keys pass the write on.
    select fired.oid, fired.proowner, source.relation_oid
    from fired
    join (
        select h.inhrelid as target_oid, h.inhparent as relation_oid from pg_catalog.pg_inherits as h
        union all
        select k.conrelid, k.confrelid
        from pg_catalog.pg_constraint as k
        where k.contype = 'f' and (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd'))
    ) as source on source.target_oid = fired.relation_oid
), callers as (
    select candidates.oid, x.grantee as role_oid
    from candidates
    cross join lateral pg_catalog.aclexplode(candidates.acl) as x
    where x.grantee not in (0, candidates.proowner)
    union
    -- Every role with USAGE on the schema can run a function whose EXECUTE is granted to PUBLIC.
    select candidates.oid, named.grantee
    from candidates
    cross join lateral pg_catalog.aclexplode(candidates.acl) as x
    join pg_catalog.pg_namespace as n on n.oid = candidates.pronamespace
    cross join lateral pg_catalog.aclexplode(coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))) as named
    where x.grantee = 0 and named.privilege_type = 'USAGE' and named.grantee <> n.nspowner
    union
    -- A trigger function needs no grant: every role that may write to the table runs it, and so does the table's owner.
    select fired.oid, x.grantee_oid
    from fired
    join pg_catalog.pg_class as c on c.oid = fired.relation_oid
    join audit.relation_rights as x on x.relation_oid = c.oid
    where x.grantee_oid <> c.relowner and x.privilege in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
    union
    select fired.oid, o.oid
    from fired
    join pg_catalog.pg_class as c on c.oid = fired.relation_oid
    join pg_catalog.pg_roles as o on o.oid = c.relowner and not o.rolsuper
    where o.oid <> fired.proowner
    union
    -- An aggregate, a type or an index can run its function for a role that has no EXECUTE, and a view, a default or an
    -- operator for a role that has no USAGE on the schema.
    select candidates.oid, 0
    from candidates
    join pg_catalog.pg_depend as d on d.refclassid = 'pg_catalog.pg_proc'::regclass and d.refobjid = candidates.oid
    where d.classid = any ('{
        pg_catalog.pg_proc, pg_catalog.pg_type, pg_catalog.pg_amproc, pg_catalog.pg_opclass, pg_catalog.pg_opfamily,
        pg_catalog.pg_conversion, pg_catalog.pg_transform, pg_catalog.pg_rewrite, pg_catalog.pg_attrdef,
        pg_catalog.pg_constraint, pg_catalog.pg_policy, pg_catalog.pg_operator, pg_catalog.pg_cast
    }'::regclass[])
)
select
    candidates.oid,
    candidates.oid::regprocedure::text as object,
    candidates.proowner as owner_oid,
    pg_catalog.pg_get_userbyid(candidates.proowner) as owner,
    candidates.lanname as language,
    candidates.runs_as_owner,
    candidates.is_unbounded,
    candidates.proleakproof as is_leakproof,
    callers.role_oid,
    coalesce(r.rolname, 'PUBLIC') as role
from candidates
left join callers on callers.oid = candidates.oid
left join pg_catalog.pg_roles as r on r.oid = callers.role_oid
where (candidates.runs_as_owner or candidates.is_unbounded or candidates.proleakproof)
    and coalesce(not r.rolsuper, true);

comment on view audit.policy_bypassing_functions is
    'Functions outside this application that can bypass policies, and the roles that can run or trigger them.';
comment on column audit.policy_bypassing_functions.owner_oid is 'Oid of the owner.';
comment on column audit.policy_bypassing_functions.language is 'Language of the function.';
comment on column audit.policy_bypassing_functions.runs_as_owner is
    'True for a SECURITY DEFINER function.';
comment on column audit.policy_bypassing_functions.is_unbounded is
    'True for a function in a language that can read any table, memory or file, such as C.';
comment on column audit.policy_bypassing_functions.is_leakproof is 'True for a leakproof function.';
comment on column audit.policy_bypassing_functions.role_oid is
    'Oid of a role that can run or trigger the function; 0 is everybody, null means only the owner.';
