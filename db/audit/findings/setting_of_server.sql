-- What the server's own files, its command line or its environment set, of what is not known to be harmless. Libraries
-- that it loads are shown to superusers and members of pg_read_all_settings alone: an auditor does not see them.
create view audit.finding_setting_of_server with (security_invoker) as
select
    'error' as level,
    s.name as object,
    pg_catalog.format('the server starts every session with %s', s.reset_val) as detail,
    case
        when s.source = 'command line' then 'take it from the command line of the server, and restart'
        else pg_catalog.format(
            'alter system set %I = %s; select pg_reload_conf();%s',
            s.name,
            -- A list is written as it is shown; any other value is one text.
            case
                when s.name in ('search_path', 'shared_preload_libraries', 'session_preload_libraries', 'local_preload_libraries')
                    and s.boot_val <> ''
                    then s.boot_val
                else pg_catalog.quote_literal(s.boot_val)
            end,
            case s.context when 'postmaster' then '  -- and restart the server' else '' end
        )
    end as remedy
from pg_catalog.pg_settings as s
where s.reset_val is distinct from s.boot_val
    -- What the session or its role set tells nothing of the server; those of a role are said by setting_stored.
    and s.source not in ('client', 'session', 'interactive', 'database', 'user', 'database user', 'default', 'override')
    and not audit.is_harmless(s.category, s.name, s.reset_val);

comment on view audit.finding_setting_of_server is
    'Every session of the server begins with a setting that disarms what protects rows, or runs a library''s code. Comes of '
    'alter system, of postgresql.conf or of the command line. Mend: set it back, or accept it with the reason.';
