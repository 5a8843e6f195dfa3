-- A login that can become, through any chain of memberships, a role that bypasses row-level security or reads
-- the server's files has every row. Superusers themselves are listed by audit.who_can_see.
create view audit.finding_login_reaches_privilege with (security_invoker) as
select
    'error' as level,
    l.name as object,
    case
        when r.oid = l.oid then 'has ' else 'can become ' || r.rolname || ', which has '
    end || pg_catalog.concat_ws(
        ', ',
        case when r.rolsuper then 'SUPERUSER' end,
        case when r.rolbypassrls then 'BYPASSRLS' end,
        case when r.rolreplication then 'REPLICATION' end,
        case when r.rolname in ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
            then 'the files of the server' end
    ) as detail,
    'take the attribute or the membership away: such a role has no business in this database' as remedy
from audit.logins as l
join pg_catalog.pg_roles as r on pg_catalog.pg_has_role(l.oid, r.oid, 'MEMBER')
where r.rolsuper
    or r.rolbypassrls
    or r.rolreplication
    or r.rolname in ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program');

comment on view audit.finding_login_reaches_privilege is
    'A login reads every row, by an attribute or through a chain of memberships. Comes of a role meant for backups or '
    'for monitoring and given on. Mend: take it away; for backups, see db/README.md.';
