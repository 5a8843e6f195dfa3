-- What a server without these acknowledges, a crash of it loses, or leaves corrupt. The first two are the whole
-- server's; synchronous_commit may also be kept with a role or a database, and is then found there: not only where it is
-- off. local and remote_write do not wait for what a failover needs, and whoever keeps them means nothing else.
create view audit.finding_durability_off with (security_invoker) as
select
    'error' as level,
    s.name as object,
    case s.reset_val
        when 'off' then 'is off: a crash of the server loses or corrupts what it has acknowledged'
        else pg_catalog.format('is %s: a failover loses what the server has acknowledged', s.reset_val)
    end as detail,
    pg_catalog.format('alter system set %I = on; select pg_reload_conf();', s.name) as remedy
from pg_catalog.pg_settings as s
where s.source not in ('database', 'user', 'database user')
    and (
        s.name in ('fsync', 'full_page_writes', 'synchronous_commit') and s.reset_val = 'off'
        -- For a server that waits for no standby they are the same as on.
        or s.name = 'synchronous_commit'
        and s.reset_val in ('local', 'remote_write')
        and pg_catalog.current_setting('synchronous_standby_names') <> ''
    )
union all
select
    'error',
    pg_catalog.format('%s of %s', kept.name, coalesce(kept.role, 'every role')),
    case
        when pg_catalog.lower(kept.value) in ('local', 'remote_write')
            then pg_catalog.format('is %s: a failover loses what the server has acknowledged', pg_catalog.lower(kept.value))
        else 'is off: a crash of the server loses what it has acknowledged'
    end,
    kept.remedy
from audit.stored_settings as kept
where kept.name = 'synchronous_commit'
    -- Whatever is not one of these and not named above is off in one of its spellings.
    and pg_catalog.lower(kept.value) not in ('on', 'true', 'yes', '1', 'remote_apply');

comment on view audit.finding_durability_off is
    'A crash of the server loses or corrupts what was acknowledged, audit records too, or a failover loses it. Comes of a '
    'setting made for a bulk load and left there. Mend: set it on; after fsync or full_page_writes were off during a '
    'crash, restore a backup.';
