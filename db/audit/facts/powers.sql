-- Attributes, and roles of Postgres's own that are not known to be harmless.
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
        -- A copy of the whole server, of which nobody asks for a database.
        (r.rolreplication, 'REPLICATION', true),
        -- Before Postgres 16 it puts itself into any role; since then into those that it was given to give on.
        (r.rolcreaterole, 'CREATEROLE', pg_catalog.current_setting('server_version_num')::integer < 160000),
        (
            r.rolname like 'pg\_%' and not exists (select from audit.harmless_roles as h where h.name = r.rolname),
            r.rolname::text,
            -- These act on the database that one is in; the others on the server: its files, programs and sessions.
            r.rolname not in ('pg_read_all_data', 'pg_write_all_data', 'pg_maintain', 'pg_create_subscription')
        )
) as p (holds, power, everywhere)
where p.holds;

comment on view audit.powers is 'The roles that have a power which no policy bounds.';
comment on column audit.powers.power is 'An attribute, or the name of a role of Postgres''s own.';
comment on column audit.powers.everywhere is
    'Whether it reaches this database from any other of the cluster, so that CONNECT here does not matter.';
