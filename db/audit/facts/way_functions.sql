create view audit.foreign_functions with (security_invoker) as
with brought as materialized (
    select b.objid from audit.brought() as b where b.classid = 'pg_catalog.pg_proc'::regclass
), made as (
    select
        f.oid,
        f.pronamespace,
        f.proowner,
        f.prorettype,
        -- What runs with its owner's rights, outside the house: the house's own have findings of their own.
        f.prosecdef
            and f.proowner in (select s.oid from audit.seeing_roles as s)
            and not exists (select from audit.definer_functions as d where d.oid = f.oid) as runs_as_owner,
        -- What no right bounds: C, and any language that only a superuser may use. Of an extension, its own library.
        (not l.lanpltrusted or l.lanname in ('c', 'internal'))
            -- Of an aggregate its functions say it.
            and f.prokind <> 'a'
            and f.oid not in (select b.objid from brought as b) as is_unbounded,
        f.proleakproof,
        l.lanname,
        coalesce(f.proacl, pg_catalog.acldefault('f', f.proowner)) as acl
    from pg_catalog.pg_proc as f
    join pg_catalog.pg_language as l on l.oid = f.prolang
    -- Below this Postgres made them, and none that runs as its owner.
    where (f.oid >= 16384 or f.prosecdef)
        and (f.prosecdef or f.proleakproof or not l.lanpltrusted or l.lanname in ('c', 'internal'))
), set_off as (
    select made.oid, x.grantee as role_oid
    from made
    cross join lateral pg_catalog.aclexplode(made.acl) as x
    where x.grantee not in (0, made.proowner)
    union
    -- Everybody may run it: that is everybody who can name it.
    select made.oid, named.grantee
    from made
    cross join lateral pg_catalog.aclexplode(made.acl) as x
    join pg_catalog.pg_namespace as n on n.oid = made.pronamespace
    cross join lateral pg_catalog.aclexplode(coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))) as named
    where x.grantee = 0 and named.privilege_type = 'USAGE' and named.grantee <> n.nspowner
    union
    -- A trigger asks nobody for a right to its function: whoever may write to the table sets it off.
    select made.oid, x.grantee
    from made
    join pg_catalog.pg_trigger as t on t.tgfoid = made.oid
    join pg_catalog.pg_class as c on c.oid = t.tgrelid
    cross join lateral (
        select acl.grantee from pg_catalog.aclexplode(c.relacl) as acl
        where acl.privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
        union all
        select acl.grantee
        from pg_catalog.pg_attribute as a
        cross join lateral pg_catalog.aclexplode(a.attacl) as acl
        where a.attrelid = c.oid and a.attacl is not null and acl.privilege_type in ('INSERT', 'UPDATE')
    ) as x
    where x.grantee <> c.relowner
    union
    -- Nor does an aggregate, a type, or what sorts and compares for an index.
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
    'Functions that others made, that see more than their caller or than a policy lets through, and who can set them off.';
comment on column audit.foreign_functions.language is 'The language that it is written in.';
comment on column audit.foreign_functions.runs_as_owner is
    'Whether it runs with the rights of an owner who sees more, and is none of the house''s.';
comment on column audit.foreign_functions.is_unbounded is 'Whether it is written in a language that no right bounds.';
comment on column audit.foreign_functions.is_leakproof is 'Whether it is declared leakproof.';
comment on column audit.foreign_functions.role_oid is
    'Who can set it off, in pg_roles; 0 is everybody, null where nobody but its owner can.';
