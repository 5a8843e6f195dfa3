create view audit.powers with (security_invoker) as
select
    r.oid as role_oid,
    p.power,
    p.everywhere
from pg_catalog.pg_roles as r
cross join lateral (
    values
        (r.rolsuper, 'SUPERUSER', true),
        (r.rolbypassrls, 'BYPASSRLS', false),
        -- A copy of the whole server.
        (r.rolreplication, 'REPLICATION', true),
        -- Before Postgres 16 CREATEROLE can join any role; since then only roles that it was given with ADMIN OPTION.
        (r.rolcreaterole, 'CREATEROLE', pg_catalog.current_setting('server_version_num')::integer < 160000),
        (
            r.rolname like 'pg\_%' and not exists (select from audit.harmless_roles as h where h.name = r.rolname),
            r.rolname::text,
            -- These roles act on one database; the others on the server's files, programs and sessions.
            r.rolname not in ('pg_read_all_data', 'pg_write_all_data', 'pg_maintain', 'pg_create_subscription')
        )
) as p (holds, power, everywhere)
where p.holds;

comment on view audit.powers is 'Roles with a power that no policy limits.';
comment on column audit.powers.power is 'Attribute, or name of a role of Postgres.';
comment on column audit.powers.everywhere is
    'True if the power works from every database of the cluster, without CONNECT here.';
