create view audit.foreign_functions with (security_invoker) as
with brought as materialized (
    select b.objid from audit.brought() as b where b.classid = 'pg_catalog.pg_proc'::regclass
), made as (
    select
        f.oid,
        f.pronamespace,
        f.proowner,
        f.prorettype,
        -- Definer functions outside the house; those of the house: definer_within_reach.
        f.prosecdef
            and f.proowner in (select s.oid from audit.seeing_roles as s)
            and not exists (select from audit.definer_functions as d where d.oid = f.oid) as runs_as_owner,
        -- C, internal and untrusted languages, unless the function belongs to a known extension's library.
        (not l.lanpltrusted or l.lanname in ('c', 'internal'))
            -- The functions of an aggregate are judged by themselves.
            and f.prokind <> 'a'
            and f.oid not in (select b.objid from brought as b) as is_unbounded,
        f.proleakproof,
        l.lanname,
        coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner)) as acl
    from pg_catalog.pg_proc as f
    join pg_catalog.pg_language as l on l.oid = f.prolang
    -- Postgres made those with lower oids, none as a definer function.
    where (f.oid >= 16384 or f.prosecdef)
        and (f.prosecdef or f.proleakproof or not l.lanpltrusted or l.lanname in ('c', 'internal'))
), set_off as (
    select made.oid, x.grantee as role_oid
    from made
    cross join lateral pg_catalog.aclexplode(made.acl) as x
    where x.grantee not in (0, made.proowner)
    union
    -- PUBLIC: every role with USAGE on its schema.
    select made.oid, named.grantee
    from made
    cross join lateral pg_catalog.aclexplode(made.acl) as x
    join pg_catalog.pg_namespace as n on n.oid = made.pronamespace
    cross join lateral pg_catalog.aclexplode(coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))) as named
    where x.grantee = 0 and named.privilege_type = 'USAGE' and named.grantee <> n.nspowner
    union
    -- A trigger needs no right to its function: every role that may write to the table fires it.
    select made.oid, x.grantee_oid
    from made
    join pg_catalog.pg_trigger as t on t.tgfoid = made.oid
    join pg_catalog.pg_class as c on c.oid = t.tgrelid
    join audit.relation_rights as x on x.relation_oid = c.oid
    where x.grantee_oid <> c.relowner and x.privilege in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
    union
    -- Aggregates, types and index support need no right either.
    select made.oid, 0
    from made
    join pg_catalog.pg_depend as d on d.refclassid = 'pg_catalog.pg_proc'::regclass and d.refobjid = made.oid
    where d.classid = any ('{
        pg_catalog.pg_proc, pg_catalog.pg_type, pg_catalog.pg_amproc, pg_catalog.pg_opclass, pg_catalog.pg_opfamily,
        pg_catalog.pg_conversion, pg_catalog.pg_transform
    }'::regclass[])
)
select
    made.oid,
    made.oid::regprocedure::text as object,
    pg_catalog.pg_get_userbyid(made.proowner) as owner,
    made.lanname as language,
    made.runs_as_owner,
    made.is_unbounded,
    made.proleakproof as is_leakproof,
    set_off.role_oid,
    coalesce(r.rolname, 'PUBLIC') as role
from made
left join set_off on set_off.oid = made.oid
left join pg_catalog.pg_roles as r on r.oid = set_off.role_oid
where (made.runs_as_owner or made.is_unbounded or made.proleakproof)
    and coalesce(not r.rolsuper, true);

comment on view audit.foreign_functions is
    'Functions outside the house that read past policies, and the roles that can run or trigger them.';
comment on column audit.foreign_functions.language is 'Language of the function.';
comment on column audit.foreign_functions.runs_as_owner is 'True for a definer function whose owner sees more rows.';
comment on column audit.foreign_functions.is_unbounded is 'True for a language without limits, such as C.';
comment on column audit.foreign_functions.is_leakproof is 'True for a leakproof function.';
comment on column audit.foreign_functions.role_oid is
    'Role that can run or trigger the function, in pg_roles; 0 is everybody, null: only the owner.';
