-- The view does not report roles with NOLOGIN, because an administrator sets NOLOGIN deliberately.
create view audit.finding_login_out_of_use with (security_invoker) as
with stored_setting as (
    -- Of a setting's stored values Postgres uses the one for the login in this database, else for the login, else for
    -- the database, else for all roles.
    select distinct on (l.name, s.name)
        l.name as login,
        s.name,
        s.value,
        s.remedy
    from audit.logins as l
    join audit.stored_settings as s on s.role_oid in (0, l.oid)
    where pg_catalog.cardinality(l.groups) > 0
    order by l.name, s.name, s.role_oid <> 0 desc, s.remedy ~ ' in database ' desc, s.remedy ~ '^alter database' desc
)
select
    'warning' as level,
    l.name::text as object,
    problem.what as detail,
    problem.remedy,
    null as provider
from audit.logins as l
join pg_catalog.pg_roles as r on r.oid = l.oid
cross join lateral (
    select 'cannot connect: connection limit 0', pg_catalog.format('alter role %I connection limit -1;', l.name)
    where r.rolconnlimit = 0
    union all
    select 'has an expired password', pg_catalog.format('alter role %I valid until ''infinity'';', l.name)
    where r.rolvaliduntil <= pg_catalog.now()
) as problem (what, remedy)
where pg_catalog.cardinality(l.groups) > 0
union all
select
    'warning',
    k.login::text,
    pg_catalog.format('starts with %s=%s, which makes all its work fail', k.name, k.value),
    k.remedy,
    null
from stored_setting as k
where case
        when k.name ~ '^(statement|lock|transaction|idle_session|idle_in_transaction_session)_timeout$'
            and k.value ~ '^[0-9.]+ ?(us|ms|s|min|h|d)?$'
            then (k.value || case when k.value ~ '[a-z]$' then '' else 'ms' end)::interval
                between interval '1 microsecond' and interval '99 milliseconds'
        -- Read-only transactions are reported only for logins of the API, because reporting logins and auditors only
        -- read.
        when k.name = 'default_transaction_read_only'
            then k.value ~* '^(on|t|tr|tru|true|y|ye|yes|1)$'
                and exists (select from audit.logins as l where l.name = k.login and 'taxclaims_api' = any (l.groups))
        else false
    end
union all
select
    'warning',
    d.datname::text,
    problem.what,
    problem.remedy,
    null
from pg_catalog.pg_database as d
cross join lateral (
    select 'accepts only superusers: connection limit 0', pg_catalog.format('alter database %I connection limit -1;', d.datname)
    where d.datconnlimit = 0
    union all
    select 'accepts no connection', pg_catalog.format('alter database %I allow_connections true;', d.datname)
    where not d.datallowconn
) as problem (what, remedy)
where d.datname = pg_catalog.current_database()
union all
select
    'warning',
    'every login',
    pg_catalog.format('the server starts every session with %s=%s', s.name, s.reset_val),
    pg_catalog.format('alter system reset %I; select pg_reload_conf();', s.name),
    case when not audit.may_act_as(10) then 'the provider sets it: set it otherwise on the provider''s page, or for each login' end
from pg_catalog.pg_settings as s
where (
        s.source in ('configuration file', 'command line', 'environment variable', 'global')
        -- audit.list_all_findings has its own lock_timeout, so pg_settings does not show who set that of the session.
        or (
            s.name = 'lock_timeout'
            and s.source = 'session'
            and not exists (
                select
                from audit.stored_settings as kept
                where kept.name = s.name and (kept.role is null or kept.role = session_user)
            )
        )
    )
    and (
        s.name ~ '^(statement|lock|transaction|idle_session|idle_in_transaction_session)_timeout$'
        and s.reset_val::bigint between 1 and 99
        or s.name = 'default_transaction_read_only' and s.reset_val = 'on'
    );

comment on view audit.finding_login_out_of_use is
    'A login or this database cannot be used: connection limit 0, expired password, timeout below 0.1 s, or read-only '
    'transactions. Cause: a manual ALTER ROLE, ALTER DATABASE or ALTER SYSTEM. Mend: run the SQL in the column remedy, '
    'or accept the finding with the reason.';
