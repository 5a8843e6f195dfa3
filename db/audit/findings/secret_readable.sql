create view audit.finding_secret_readable with (security_invoker) as
select
    'error' as level,
    pg_catalog.format('%s.%s', s.table_name, s.column_name) as object,
    'readable by ' || h.name as detail,
    -- The remedy revokes SELECT from the finding's role, from the roles that this role inherits, and from PUBLIC.
    (
        select pg_catalog.string_agg(r.statement, ' ' order by r.grantee, r.column_name)
        from audit.revoke_statements as r
        where r.object = s.table_name
            and r.kind = 'table'
            and r.privilege = 'SELECT'
            and coalesce(r.column_name, s.column_name) = s.column_name
            and (r.grantee_oid = 0 or pg_catalog.pg_has_role(h.oid, r.grantee_oid, 'USAGE'))
    ) as remedy
from audit.secret_columns as s
join audit.house_tables as t on t.name = s.table_name
join pg_catalog.pg_attribute as a on a.attrelid = t.oid and a.attname = s.column_name
join audit.house_roles as h on h.name = any (s.hidden_from)
where pg_catalog.has_column_privilege(h.oid, a.attrelid, a.attnum, 'SELECT');

comment on view audit.finding_secret_readable is
    'A role reads a secret column, such as a password hash. Cause: a grant on the whole table, or on too many '
    'columns. Mend: revoke the right to the column.';
