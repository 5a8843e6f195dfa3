-- What an extension brings is code and rights of its own: files, other servers, pages of tables, jobs.
create view audit.finding_extension_not_known with (security_invoker) as
select
    'error' as level,
    e.extname as object,
    'is none of the extensions that see nothing but their arguments (audit.harmless_extensions)' as detail,
    pg_catalog.format('drop extension %I;', e.extname) as remedy
from pg_catalog.pg_extension as e
where not exists (select from audit.harmless_extensions as h where h.name = e.extname);

comment on view audit.finding_extension_not_known is
    'A login may reach rows through what the extension brings: dblink and postgres_fdw connect as somebody else, file_fdw '
    'and adminpack read files, pageinspect reads pages, pg_cron runs jobs. Comes of create extension. Mend: drop it, or '
    'accept it with the reason.';
