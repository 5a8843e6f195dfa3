-- A role may run a command if the column `granted` is true and, on a table, a policy accepts the row. A view is subject
-- to the policies of its tables.
create view audit.matrix with (security_invoker) as
select
    relation.role,
    relation.object,
    c.command,
    pg_catalog.has_table_privilege(relation.role_oid, relation.oid, c.command)
        or c.command <> 'DELETE' and pg_catalog.has_any_column_privilege(relation.role_oid, relation.oid, c.command) as granted,
    case
        when c.command <> 'DELETE' and not pg_catalog.has_table_privilege(relation.role_oid, relation.oid, c.command) then (
            select pg_catalog.string_agg(a.attname, ', ' order by a.attnum)
            from pg_catalog.pg_attribute as a
            where a.attrelid = relation.oid
                and a.attnum > 0
                and not a.attisdropped
                and pg_catalog.has_column_privilege(relation.role_oid, a.attrelid, a.attnum, c.command)
        )
    end as columns,
    case when relation.held then policy.names else '(row-level security does not hold)' end as policies,
    case when relation.held or c.command = 'INSERT' then policy.using_expressions else 'true' end as using_expressions,
    case
        when relation.held or c.command in ('SELECT', 'DELETE') then policy.check_expressions
        else 'true'
    end as check_expressions
from (
    select
        k.oid,
        h.oid as role_oid,
        h.name as role,
        k.relkind in ('v', 'm', 'f') or k.relrowsecurity and (k.relforcerowsecurity or k.relowner <> h.oid) as held,
        pg_catalog.format('%I.%I', s.name, k.relname) as object
    from pg_catalog.pg_class as k
    join audit.house_schemas as s on s.oid = k.relnamespace
    cross join audit.house_roles as h
    where k.relkind in ('r', 'p', 'v', 'm', 'f')
) as relation
cross join (values ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) as c (command)
left join lateral (
    select
        pg_catalog.string_agg(p.name || case when p.permissive then '' else ' (restrictive)' end, ', ' order by p.name) as names,
        pg_catalog.string_agg(p.using_expression, ' | ' order by p.name) as using_expressions,
        pg_catalog.string_agg(coalesce(p.check_expression, p.using_expression), ' | ' order by p.name)
            filter (where c.command in ('INSERT', 'UPDATE')) as check_expressions
    from audit.policies_by_role_and_command as p
    where p.role_oid = relation.role_oid and p.table_oid = relation.oid and p.command = c.command
) as policy on true
union all
select
    h.name,
    pg_catalog.format('%I.%I(%s)', s.name, f.proname, pg_catalog.pg_get_function_identity_arguments(f.oid)),
    'EXECUTE',
    pg_catalog.has_function_privilege(h.oid, f.oid, 'EXECUTE'),
    null,
    null,
    null,
    null
from pg_catalog.pg_proc as f
join audit.house_schemas as s on s.oid = f.pronamespace
cross join audit.house_roles as h;

comment on view audit.matrix is
    'Which role may run which command on which table, view or function of this application.';
comment on column audit.matrix.command is 'SQL command: SELECT, INSERT, UPDATE, DELETE or EXECUTE.';
comment on column audit.matrix.granted is 'True if a grant allows the command on at least one column.';
comment on column audit.matrix.columns is
    'Columns on which the command is granted; null if it is granted on all columns, or on none.';
comment on column audit.matrix.policies is
    'Policies that decide on each row of a table; null if no policy allows a row, and for views.';
comment on column audit.matrix.using_expressions is
    'USING conditions of the policies, on rows that are read or changed.';
comment on column audit.matrix.check_expressions is 'WITH CHECK conditions of the policies, on new rows.';
