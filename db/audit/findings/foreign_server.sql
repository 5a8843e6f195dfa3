create view audit.finding_foreign_server with (security_invoker) as
select
    'error' as level,
    s.object,
    pg_catalog.format('%s %s', s.role, s.what) as detail,
    s.remedy,
    case
        when not audit.may_act_as(s.owner_oid)
            then pg_catalog.format('%s reaches another server from SQL: put no login of a person or a program into %s', s.role, s.role)
    end as provider
from audit.server_rights as s;

comment on view audit.finding_foreign_server is
    'A login can connect from SQL to another database, or to this database as another user. Cause: create user '
    'mapping, or USAGE on a server. Mend: drop the user mapping, or revoke USAGE on the server.';
