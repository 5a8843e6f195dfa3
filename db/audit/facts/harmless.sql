-- Closed lists of harmless things, each line with its reason. audit.findings names everything else, also what a newer
-- Postgres adds.

create view audit.harmless_roles with (security_invoker) as
select *
from (
    values
        ('pg_checkpoint'::name, 'may ask for a checkpoint, which costs time and shows nothing'),
        ('pg_use_reserved_connections', 'finds room where others are turned away'),
        -- Its only member is the owner of the database: finding database_owner.
        ('pg_database_owner', 'the owner of the database')
) as h (name, reason);

comment on view audit.harmless_roles is
    'Roles of Postgres that a login may have; others: finding login_reaches_privilege.';

-- category and name are LIKE patterns for the columns of pg_settings.
create view audit.harmless_settings with (security_invoker) as
select *
from (
    values
        ('Autovacuum', '%', 'when tables are cleaned'),
        ('Vacuuming%', '%', 'when tables are cleaned'),
        ('Query Tuning%', '%', 'how a query is carried out, and not what it may see'),
        ('Resource Usage%', '%', 'how much a session or the server may take'),
        ('Lock Management', '%', 'how many locks there are, and how long one waits'),
        ('Statistics%', '%', 'what is counted'),
        ('Preset Options', '%', 'set when the server was built'),
        ('File Locations', '%', 'where the server''s files are'),
        ('Error Handling', '%', 'what the server does after a crash'),
        ('Reporting and Logging%', '%', 'what is written to the server''s log, which no login reads'),
        -- fsync and the like: finding durability_off.
        ('Write-Ahead Log%', '%', 'how the log of changes is written and kept'),
        ('Replication%', '%', 'how a standby follows'),
        ('Connections and Authentication / Connection Settings', '%', 'where the server listens'),
        ('Connections and Authentication / SSL', '%', 'certificates and ciphers'),
        ('Connections and Authentication / TCP Settings', '%', 'how a dead connection is noticed'),
        ('Connections and Authentication / Authentication', 'authentication\_timeout', 'how long a login may take'),
        ('Connections and Authentication / Authentication', 'scram\_iterations', 'the cost of checking a password'),
        ('Connections and Authentication / Authentication', 'md5\_password\_warnings', 'a warning'),
        ('Connections and Authentication / Authentication', 'krb\_%', 'how Kerberos names are compared'),
        ('Client Connection Defaults / Locale and Formatting', '%', 'how values are written out'),
        ('Client Connection Defaults / Statement Behavior', '%\_timeout', 'how long something may take'),
        ('Client Connection Defaults / Statement Behavior', 'vacuum\_%', 'when tables are cleaned'),
        ('Client Connection Defaults / Statement Behavior', 'default\_transaction\_%', 'how a transaction begins; it sees no more'),
        ('Client Connection Defaults / Statement Behavior', 'default\_t%', 'how and where a new table is stored'),
        ('Client Connection Defaults / Statement Behavior', 'temp\_tablespaces', 'where what is temporary is stored'),
        ('Client Connection Defaults / Statement Behavior', 'transaction\_%', 'how the transaction at hand began'),
        ('Client Connection Defaults / Statement Behavior', 'bytea\_output', 'how values are written out'),
        ('Client Connection Defaults / Statement Behavior', 'xml%', 'how values are written out'),
        ('Client Connection Defaults / Statement Behavior', 'client\_min\_messages', 'which messages a client is sent'),
        ('Client Connection Defaults / Statement Behavior', 'gin\_pending\_list\_limit', 'how an index is written'),
        ('Client Connection Defaults / Statement Behavior', 'check\_function\_bodies', 'when a mistake in a function is noticed'),
        ('Client Connection Defaults / Statement Behavior', 'restrict\_nonsystem\_relation\_kind', 'forbids, and allows nothing'),
        ('Client Connection Defaults / Other Defaults', 'gin\_fuzzy\_search\_limit', 'fewer rows, never more'),
        ('Version and Platform Compatibility%', 'array\_nulls', 'how values are read'),
        ('Version and Platform Compatibility%', 'backslash\_quote', 'how values are read'),
        ('Version and Platform Compatibility%', 'escape\_string\_warning', 'a warning'),
        ('Version and Platform Compatibility%', 'quote\_all\_identifiers', 'how names are written out'),
        ('Version and Platform Compatibility%', 'synchronize\_seqscans', 'the order of rows that have none'),
        ('Version and Platform Compatibility%', 'allow\_alter\_system', 'forbids, and allows nothing'),
        ('Developer Options', 'trace\_%', 'what is written to the server''s log'),
        ('Developer Options', 'debug\_%', 'what is written to the server''s log, and how a query is carried out'),
        ('Developer Options', 'jit\_%', 'how a query is carried out'),
        ('Developer Options', 'backtrace\_functions', 'what is written to the server''s log'),
        ('Developer Options', 'remove\_temp\_files\_after\_crash', 'what is left after a crash'),
        ('%', 'plpgsql.%', 'how functions are checked'),
        ('%', 'pg\_stat\_statements.%', 'what is counted'),
        ('%', 'pg\_trgm.%', 'how alike is alike'),
        ('%', 'auto\_explain.%', 'what is written to the server''s log'),
        ('%', 'pgaudit.%', 'what is written to the server''s log')
) as h (category, name, reason);

comment on view audit.harmless_settings is
    'Settings that show nobody more rows at any value; others: findings setting_stored, setting_of_server, '
    'parameter_granted.';
comment on column audit.harmless_settings.category is 'Category in pg_settings, as a LIKE pattern.';
comment on column audit.harmless_settings.name is 'Name of the setting, as a LIKE pattern.';

-- A setting without a category belongs to a library that is not loaded: not harmless.
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
            -- Schemas in which only the house creates objects.
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
    'True if the setting with this value shows nobody more rows. For the findings about settings.';
