-- Functions that run with their owner's rights, wherever they stand, if their owner is of the house.
create view audit.definer_functions with (security_invoker) as
select
    f.oid,
    pg_catalog.format('%I.%I(%s)', n.nspname, f.proname, pg_catalog.pg_get_function_identity_arguments(f.oid)) as object,
    f.proowner,
    f.proacl,
    f.proconfig,
    n.nspname = 'audit' as for_auditors
from pg_catalog.pg_proc as f
join pg_catalog.pg_namespace as n on n.oid = f.pronamespace
where f.prosecdef
    and (
        exists (select from audit.house_schemas as s where s.oid = n.oid)
        or exists (select from audit.house_roles as h where h.oid = f.proowner)
    );

-- Functions that read a setting: those of Postgres, and the house's whose text calls one of these, at any depth.
create view audit.setting_readers with (security_invoker) as
with recursive reader as (
    select
        f.oid,
        f.proname as name
    from pg_catalog.pg_proc as f
    where f.oid in (
        'pg_catalog.current_setting(text)'::regprocedure,
        'pg_catalog.current_setting(text, boolean)'::regprocedure
    )
    union
    select
        f.oid,
        f.name
    from (
        select
            p.oid,
            p.proname as name,
            pg_catalog.pg_get_functiondef(p.oid) as definition
        from pg_catalog.pg_proc as p
        join audit.house_schemas as s on s.oid = p.pronamespace
        where p.prokind = 'f' and s.name <> 'audit'
    ) as f
    join reader as r on f.definition ~ ('\m' || r.name || '\(') and f.oid <> r.oid
)
select distinct
    reader.oid,
    reader.name
from reader;

grant select on audit.definer_functions, audit.setting_readers to taxclaims_auditor;
