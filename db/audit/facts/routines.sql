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

comment on view audit.definer_functions is
    'Functions that run with the rights of an owner of the house, or stand in its schemas.';
comment on column audit.definer_functions.proowner is 'The owner, in pg_roles.';
comment on column audit.definer_functions.proacl is 'Its access list; null means that everybody may run it.';
comment on column audit.definer_functions.proconfig is 'The settings that it pins.';
comment on column audit.definer_functions.for_auditors is 'Whether it stands in schema audit.';

-- Those of Postgres, and the house's whose text calls one of these, at any depth.
create view audit.setting_readers with (security_invoker) as
with recursive definitions as materialized (
    select
        p.oid,
        p.proname as name,
        pg_catalog.pg_get_functiondef(p.oid) as definition
    from pg_catalog.pg_proc as p
    join audit.house_schemas as s on s.oid = p.pronamespace
    where p.prokind = 'f' and s.name <> 'audit'
), reader as (
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
    from definitions as f
    -- The plain search is cheap, and nearly always says no.
    join reader as r
        on pg_catalog.strpos(f.definition, r.name || '(') > 0
        and f.definition ~ ('\m' || r.name || '\(')
        and f.oid <> r.oid
)
select distinct
    reader.oid,
    reader.name
from reader;

comment on view audit.setting_readers is
    'Functions that read a setting, by themselves or through others: what they say, whoever writes SQL can set.';
comment on column audit.setting_readers.name is 'The name of the function, without schema.';
