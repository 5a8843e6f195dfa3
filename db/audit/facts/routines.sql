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
    'SECURITY DEFINER functions in the schemas of this application, or owned by its roles.';
comment on column audit.definer_functions.proowner is 'Owner, in pg_roles.';
comment on column audit.definer_functions.proacl is 'Access list; null means that everybody may run the function.';
comment on column audit.definer_functions.proconfig is 'Settings with which the function runs, such as search_path.';
comment on column audit.definer_functions.for_auditors is 'True for a function in schema audit.';

-- audit.setting_readers lists current_setting, and every function of this application that calls current_setting
-- directly or through other functions.
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
    -- strpos is cheap and excludes most functions before the slower regular expression runs.
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
    'Functions that read a setting, directly or through other functions. Any session can change its settings.';
comment on column audit.setting_readers.name is 'Name of the function without schema.';
