create view audit.finding_definer_search_path with (security_invoker) as
select
    'error' as level,
    f.oid::regprocedure::text as object,
    pg_catalog.format(
        'runs as %s with search_path %s',
        pg_catalog.pg_get_userbyid(f.proowner),
        coalesce(
            (select s.setting from pg_catalog.unnest(f.proconfig) as s (setting) where s.setting like 'search\_path=%'),
            'of its caller'
        )
    ) as detail,
    pg_catalog.format('alter routine %s set search_path = '''';', f.oid::regprocedure) as remedy
from audit.definer_functions as f
where 'search_path=""' <> all (coalesce(f.proconfig, '{}'));

comment on view audit.finding_definer_search_path is
    'A caller can make a SECURITY DEFINER function use the caller''s object with the rights of the function''s owner. '
    'Cause: the function does not set search_path. Mend: set search_path = ''''.';
