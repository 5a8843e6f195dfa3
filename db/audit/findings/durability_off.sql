-- fsync and full_page_writes can be set only for the server, synchronous_commit also for a role or a database. If
-- synchronous_commit is local or remote_write, a failover loses acknowledged writes.
create view audit.finding_durability_off with (security_invoker) as
select
    'error' as level,
    s.name as object,
    case s.reset_val
        when 'off' then 'is off: a crash of the server loses or corrupts acknowledged writes'
        else pg_catalog.format('is %s: a failover loses what the server has acknowledged', s.reset_val)
    end as detail,
    pg_catalog.format('alter system set %I = on; select pg_reload_conf();', s.name) as remedy,
    case
        when not audit.may_act_as(10)
            then 'the provider sets it: set it to on on the provider''s page, or keep a backup of each change elsewhere'
    end as provider
from pg_catalog.pg_settings as s
where s.source not in ('database', 'user', 'database user')
    and (
        s.name in ('fsync', 'full_page_writes', 'synchronous_commit') and s.reset_val = 'off'
        -- Without a synchronous standby the values local and remote_write of synchronous_commit have the same effect as
        -- on.
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
        else 'is off: a crash of the server loses acknowledged writes'
    end,
    kept.remedy,
    kept.provider
from audit.stored_settings as kept
where kept.name = 'synchronous_commit'
    and pg_catalog.lower(kept.value) not in ('on', 'true', 'yes', '1', 'remote_apply');

comment on view audit.finding_durability_off is
    'A crash or a failover loses acknowledged writes. Cause: a setting for a bulk load that was not reset. Mend: set '
    'the setting to on; after a crash with fsync or full_page_writes off, restore a backup.';
