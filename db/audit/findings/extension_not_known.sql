-- audit.drift does not report objects of an unknown extension, because the detail of this finding has a digest of these
-- objects.
create view audit.finding_extension_not_known with (security_invoker) as
select
    'error' as level,
    e.extname as object,
    pg_catalog.format(
        'is not in audit.known_extensions, whose functions read only their arguments: version %s in %s, %s',
        e.extversion,
        e.extnamespace::regnamespace,
        pg_catalog.md5(pg_catalog.string_agg(member.said, '; ' order by member.said collate "C"))
    ) as detail,
    'find out what it does, then audit.accept it, or drop it without cascade if its tables and functions are not needed' as remedy,
    case
        when audit.is_surrounding('extension', e.extname) and not audit.may_act_as(e.extowner)
            then 'the provider''s extension may show rows or run code: read what its page says, and use a database without it where there is one'
    end as provider
from pg_catalog.pg_extension as e
left join lateral (
    select pg_catalog.concat_ws(
        ' ',
        o.type,
        o.identity,
        pg_catalog.pg_get_userbyid(coalesce(f.proowner, c.relowner)),
        coalesce(f.proacl, c.relacl),
        f.prosecdef,
        f.proleakproof,
        f.proconfig,
        f.prolang,
        f.probin,
        f.prosrc
    ) as said
    from audit.extension_members() as b
    cross join lateral pg_catalog.pg_identify_object(b.classid, b.objid, 0) as o
    left join pg_catalog.pg_proc as f on b.classid = 'pg_catalog.pg_proc'::regclass and f.oid = b.objid
    left join pg_catalog.pg_class as c on b.classid = 'pg_catalog.pg_class'::regclass and c.oid = b.objid
    where b.extension = e.oid
) as member on true
where not exists (select from audit.known_extensions() as h where h.name = e.extname)
group by e.oid, e.extname, e.extversion, e.extnamespace, e.extowner;

comment on view audit.finding_extension_not_known is
    'A login may reach rows through the extension: dblink connects as other users, file_fdw reads files, pg_cron runs '
    'jobs. Cause: create extension. Mend: accept the finding with the reason, or drop the extension.';
