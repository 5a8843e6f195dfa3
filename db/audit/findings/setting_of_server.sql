-- Postgres hides shared_preload_libraries and similar settings from auditors.
create view audit.finding_setting_of_server with (security_invoker) as
select
    'error' as level,
    s.name as object,
    pg_catalog.format('the server starts every session with %s', s.reset_val) as detail,
    case
        when s.source = 'command line' then 'remove it from the command line of the server, and restart'
        -- The remedy uses RESET if the default is empty, because SET would store an empty library name, with which
        -- every session fails.
        when s.boot_val = '' and s.sourcefile like '%/postgresql.auto.conf'
            then pg_catalog.format('alter system reset %I; select pg_reload_conf();', s.name)
        when s.boot_val = '' or s.boot_val is null
            then pg_catalog.format('remove it from %s, and reload', coalesce(s.sourcefile, 'postgresql.conf'))
        else pg_catalog.format(
            'alter system set %I = %s; select pg_reload_conf();',
            s.name,
            -- search_path is a list of names, so its value is printed without quotes.
            case s.name when 'search_path' then s.boot_val else pg_catalog.quote_literal(s.boot_val) end
        )
    end || case s.context when 'postmaster' then '  -- and restart the server' else '' end as remedy,
    case
        when not audit.may_act_as(10)
            then 'the provider sets it for every session: set it otherwise on the provider''s page, or find out what it is for'
    end as provider
from pg_catalog.pg_settings as s
where s.reset_val is distinct from s.boot_val
    -- The view reports only values set for the whole server. The audit finding setting_stored reports values stored for
    -- roles and databases. audit.list_all_findings has its own search_path and row_security, so pg_settings does not
    -- show who set those of the session.
    and (
        s.source not in ('client', 'session', 'interactive', 'database', 'user', 'database user', 'default', 'override')
        or (
            s.name in ('search_path', 'row_security')
            and s.source = 'session'
            and not exists (
                select
                from audit.stored_settings as kept
                where kept.name = s.name and (kept.role is null or kept.role = session_user)
            )
        )
    )
    and not audit.is_harmless(s.category, s.name, s.reset_val);

comment on view audit.finding_setting_of_server is
    'Every session starts with a setting that weakens protection or loads a library. Cause: a value from ALTER SYSTEM, '
    'postgresql.conf or the command line. Mend: reset the setting, or accept the finding with the reason.';
