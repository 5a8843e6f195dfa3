create view audit.role_powers with (security_invoker) as
select
    r.oid as role_oid,
    p.power,
    p.everywhere
from pg_catalog.pg_roles as r
cross join lateral (
    values
        (r.rolsuper, 'SUPERUSER', true),
        (r.rolbypassrls, 'BYPASSRLS', false),
        -- A role with REPLICATION can copy the whole server.
        (r.rolreplication, 'REPLICATION', true),
        -- Before Postgres 16 a role with CREATEROLE can join any role. Since Postgres 16 a role with CREATEROLE can
        -- join only roles on which it has ADMIN OPTION.
        (r.rolcreaterole, 'CREATEROLE', pg_catalog.current_setting('server_version_num')::integer < 160000),
        (
            r.rolname like 'pg\_%' and not exists (select from audit.harmless_roles as h where h.name = r.rolname),
            r.rolname::text,
            -- Of the predefined roles of Postgres, only pg_read_all_data, pg_write_all_data, pg_maintain and
            -- pg_create_subscription act on one database; the others act on the server's files, programs and sessions.
            r.rolname not in ('pg_read_all_data', 'pg_write_all_data', 'pg_maintain', 'pg_create_subscription')
        )
) as p (holds, power, everywhere)
where p.holds;

comment on view audit.role_powers is 'Roles with a power that no policy limits, such as SUPERUSER or pg_read_all_data.';
comment on column audit.role_powers.power is
    'The power: an attribute of the role such as BYPASSRLS, or a predefined role of Postgres.';
comment on column audit.role_powers.everywhere is
    'True if the role can use the power from any database of the server, even without CONNECT on this database.';
