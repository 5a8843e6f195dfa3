-- A setting kept with a role or the database is there before any request sets it: nothing set must mean nothing.
create view audit.finding_setting_stored with (security_invoker) as
select
    'error' as level,
    coalesce(r.rolname, 'every role') as object,
    'starts with ' || s.setting as detail,
    pg_catalog.format(
        'alter %s reset %s;',
        case when r.rolname is null then 'database ' || pg_catalog.current_database() else 'role ' || r.rolname end,
        pg_catalog.split_part(s.setting, '=', 1)
    ) as remedy
from pg_catalog.pg_db_role_setting as kept
left join pg_catalog.pg_roles as r on r.oid = kept.setrole
cross join lateral pg_catalog.unnest(kept.setconfig) as s (setting)
where kept.setdatabase in (
        0,
        (select d.oid from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database())
    )
    and s.setting ~ '^(app\.|role=|session_authorization=)';

comment on view audit.finding_setting_stored is
    'A session begins as if a request had set something: rows are seen where nothing should be. Comes of alter role '
    'or alter database … set app.client_access = … and the like. Mend: reset it.';
