-- What a request sets must not be there, and of all others only those that are known to be harmless.
create view audit.finding_setting_stored with (security_invoker) as
select
    'error' as level,
    coalesce(s.role, 'every role') as object,
    pg_catalog.format('starts with %s=%s', s.name, s.value) as detail,
    s.remedy
from audit.stored_settings as s
where not s.is_harmless;

comment on view audit.finding_setting_stored is
    'A session begins with a setting that shows rows, or disarms what protects them: app.client_access or role as if a '
    'request had set it, session_replication_role without triggers, foreign keys and audit records, a search_path on which '
    'names are taken for others, a library with code of its own. Comes of alter role or alter database … set. Mend: reset '
    'it, or accept it with the reason.';
