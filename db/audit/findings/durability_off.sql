-- What a server without these acknowledges, a crash of it loses, or leaves corrupt. The first two are the whole
-- server's; synchronous_commit may also be kept with a role or a database, and is then found there.
create view audit.finding_durability_off with (security_invoker) as
select
    'error' as level,
    s.name as object,
    'is off: a crash of the server loses or corrupts what it has acknowledged' as detail,
    pg_catalog.format('alter system set %I = on; select pg_reload_conf();', s.name) as remedy
from pg_catalog.pg_settings as s
where s.name in ('fsync', 'full_page_writes', 'synchronous_commit')
    and s.reset_val = 'off'
    and s.source not in ('database', 'user', 'database user')
union all
select
    'error',
    pg_catalog.format('%s of %s', option.option_name, coalesce(r.rolname, 'every role')),
    'is off: a crash of the server loses what it has acknowledged',
    pg_catalog.format(
        'alter %s reset %I;',
        case
            when r.rolname is null then pg_catalog.format('database %I', pg_catalog.current_database())
            when kept.setdatabase = 0 then pg_catalog.format('role %I', r.rolname)
            else pg_catalog.format('role %I in database %I', r.rolname, pg_catalog.current_database())
        end,
        option.option_name
    )
from pg_catalog.pg_db_role_setting as kept
left join pg_catalog.pg_roles as r on r.oid = kept.setrole
cross join lateral pg_catalog.pg_options_to_table(kept.setconfig) as option
where kept.setdatabase in (
        0,
        (select d.oid from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database())
    )
    and option.option_name = 'synchronous_commit'
    -- Whatever is not one of these is off in one of its spellings.
    and pg_catalog.lower(option.option_value) not in (
        'on', 'true', 'yes', '1', 'local', 'remote_write', 'remote_apply'
    );

comment on view audit.finding_durability_off is
    'A crash of the server loses or corrupts what was acknowledged, audit records too. Comes of a setting made for a '
    'bulk load and left there. Mend: set it on; after fsync or full_page_writes were off during a crash, restore a '
    'backup.';
