create view audit.finding_setting_stored with (security_invoker) as
select
    'error' as level,
    coalesce(s.role, 'every role') as object,
    pg_catalog.format('starts with %s=%s', s.name, s.value) as detail,
    s.remedy,
    s.provider
from audit.stored_settings as s
where not s.is_harmless;

comment on view audit.finding_setting_stored is
    'A session starts with a setting that shows rows or weakens protection: app.client_access, role, '
    'session_replication_role, search_path, or a library. Cause: a manual ALTER ROLE … SET or ALTER DATABASE … SET. '
    'Mend: reset the setting, or accept the finding with the reason.';
