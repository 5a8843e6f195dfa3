-- audit.harmless_roles and audit.harmless_settings list roles and settings that cannot reveal rows hidden by policies.
-- audit.findings reports roles and settings that are neither in audit.harmless_roles nor in audit.harmless_settings.

create view audit.harmless_roles with (security_invoker) as
select *
from (
    values
        ('pg_checkpoint'::name, 'may request a checkpoint, which shows no rows'),
        ('pg_use_reserved_connections', 'may use reserved connections'),
        -- The only member of pg_database_owner is the owner of the database, whom the audit finding database_owner
        -- checks.
        ('pg_database_owner', 'the owner of the database')
) as h (name, reason);

comment on view audit.harmless_roles is
    'Predefined roles of Postgres that a login may have. The audit finding login_reaches_privilege reports logins that '
    'have a predefined role without a row in this view.';

create view audit.harmless_settings with (security_invoker) as
select *
from (
    values
        ('Autovacuum', '%', 'when tables are cleaned'),
        ('Vacuuming%', '%', 'when tables are cleaned'),
        ('Query Tuning%', '%', 'how a query runs, not which rows it sees'),
        ('Resource Usage%', '%', 'limits of memory and other resources'),
        ('Lock Management', '%', 'number of locks, and time to wait for a lock'),
        ('Statistics%', '%', 'which statistics are collected'),
        ('Preset Options', '%', 'set when the server was built'),
        ('File Locations', '%', 'where the server''s files are'),
        ('Error Handling', '%', 'what the server does after a crash'),
        ('Reporting and Logging%', '%', 'contents of the server''s log, which no login reads'),
        -- The audit finding durability_off reports fsync, full_page_writes and synchronous_commit.
        ('Write-Ahead Log%', '%', 'how the write-ahead log is written and kept'),
        ('Replication%', '%', 'how a standby follows'),
        ('Connections and Authentication / Connection Settings', '%', 'where the server listens'),
        ('Connections and Authentication / SSL', '%', 'certificates and ciphers'),
        ('Connections and Authentication / TCP Settings', '%', 'detection of dead connections'),
        ('Connections and Authentication / Authentication', 'authentication\_timeout', 'how long a login may take'),
        ('Connections and Authentication / Authentication', 'scram\_iterations', 'the cost of checking a password'),
        ('Connections and Authentication / Authentication', 'md5\_password\_warnings', 'a warning'),
        ('Connections and Authentication / Authentication', 'krb\_%', 'how Kerberos names are compared'),
        ('Client Connection Defaults / Locale and Formatting', '%', 'format of printed values'),
        ('Client Connection Defaults / Statement Behavior', '%\_timeout', 'time limits'),
        ('Client Connection Defaults / Statement Behavior', 'vacuum\_%', 'when tables are cleaned'),
        ('Client Connection Defaults / Statement Behavior', 'default\_transaction\_%', 'properties of a new transaction, which do not change the visible rows'),
        ('Client Connection Defaults / Statement Behavior', 'default\_t%', 'how and where a new table is stored'),
        ('Client Connection Defaults / Statement Behavior', 'temp\_tablespaces', 'where temporary files are stored'),
        ('Client Connection Defaults / Statement Behavior', 'transaction\_%', 'properties of the current transaction'),
        ('Client Connection Defaults / Statement Behavior', 'bytea\_output', 'format of printed values'),
        ('Client Connection Defaults / Statement Behavior', 'xml%', 'format of printed values'),
        ('Client Connection Defaults / Statement Behavior', 'client\_min\_messages', 'which messages a client is sent'),
        ('Client Connection Defaults / Statement Behavior', 'gin\_pending\_list\_limit', 'how an index is written'),
        ('Client Connection Defaults / Statement Behavior', 'check\_function\_bodies', 'when an error in a function is reported'),
        ('Client Connection Defaults / Statement Behavior', 'restrict\_nonsystem\_relation\_kind', 'only restricts'),
        ('Client Connection Defaults / Other Defaults', 'gin\_fuzzy\_search\_limit', 'fewer rows, never more'),
        ('Version and Platform Compatibility%', 'array\_nulls', 'how values are read'),
        ('Version and Platform Compatibility%', 'backslash\_quote', 'how values are read'),
        ('Version and Platform Compatibility%', 'escape\_string\_warning', 'a warning'),
        ('Version and Platform Compatibility%', 'quote\_all\_identifiers', 'format of printed names'),
        ('Version and Platform Compatibility%', 'synchronize\_seqscans', 'the order of rows without ORDER BY'),
        ('Version and Platform Compatibility%', 'allow\_alter\_system', 'only restricts'),
        ('Developer Options', 'trace\_%', 'contents of the server''s log'),
        ('Developer Options', 'debug\_%', 'contents of the server''s log, and how a query runs'),
        ('Developer Options', 'jit\_%', 'how a query runs'),
        ('Developer Options', 'backtrace\_functions', 'contents of the server''s log'),
        ('Developer Options', 'remove\_temp\_files\_after\_crash', 'which files are left after a crash'),
        ('%', 'plpgsql.%', 'how functions are checked'),
        ('%', 'pg\_stat\_statements.%', 'which statistics are collected'),
        ('%', 'pg\_trgm.%', 'thresholds of similarity'),
        ('%', 'auto\_explain.%', 'contents of the server''s log'),
        ('%', 'pgaudit.%', 'contents of the server''s log')
) as h (category, name, reason);

comment on view audit.harmless_settings is
    'Settings that cannot reveal rows hidden by policies, whatever value the setting has. The audit findings '
    'setting_stored, setting_of_server and parameter_granted report settings that this view does not list.';
comment on column audit.harmless_settings.category is 'Category in pg_settings, as a LIKE pattern.';
comment on column audit.harmless_settings.name is 'Name of the setting, as a LIKE pattern.';

-- A setting without a category belongs to a library that is not loaded, and is harmless only if audit.harmless_settings
-- names the library.
create function audit.is_harmless(category text, name text, value text)
    returns boolean
    language sql stable set search_path = ''
begin atomic
    select
        exists (
            select
            from audit.harmless_settings as h
            where is_harmless.name like h.name and coalesce(is_harmless.category, '') like h.category
        )
        or case is_harmless.name
            -- Only roles of this application may create objects in the schemas reporting, audit, app and public.
            when 'search_path'
                then value ~ '^\s*("\$user"|reporting|audit|app|public|"")(\s*,\s*("\$user"|reporting|audit|app|public))*\s*$'
            when 'shared_preload_libraries' then value ~ library.harmless
            when 'session_preload_libraries' then value ~ library.harmless
            when 'local_preload_libraries' then value ~ library.harmless
            when 'row_security' then value = 'on'
            when 'session_replication_role' then value = 'origin'
            else false
        end
    from (values ('^(\s*,?\s*"?(pg_stat_statements|auto_explain|pgaudit|passwordcheck|auth_delay)"?)*\s*$')) as library (harmless);
end;

comment on function audit.is_harmless(text, text, text) is
    'True if the setting with the given value cannot reveal rows hidden by policies.';
