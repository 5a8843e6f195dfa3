-- What the columns of views say whose files say nothing of them. On the reporting surface whose key it is; else what the
-- column of that name says in what the view reads, in that of the view's own name first; else what the name says anywhere.
do $columns$
declare
    silent record;
    inherited text;
begin
    for silent in
        select c.oid, c.relname, a.attnum, a.attname, n.nspname, w.said
        from pg_catalog.pg_class as c
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum > 0
        left join (
            values
                ('reporting', 'client_id', 'Joins reporting.clients.id.'),
                ('reporting', 'site_id', 'Joins reporting.sites.id.'),
                ('reporting', 'reclamation_id', 'Joins reporting.reclamations.id.'),
                ('reporting', 'invoice_id', 'Joins reporting.invoices.id.'),
                ('reporting', 'partner_id', 'Joins reporting.partners.id.'),
                ('reporting', 'user_id', 'Joins reporting.users.id.'),
                ('reporting', 'changed_by', 'Joins reporting.users.id.'),
                ('reporting', 'assignee_id', 'Joins reporting.users.id.'),
                ('reporting', 'amount_paid', 'Euros paid, tax included; 0 until it is paid whole.'),
                ('audit', 'oid', 'The number of the object in its catalog.'),
                ('audit', 'table_oid', 'The table, in pg_class.'),
                ('audit', 'role_oid', 'The role, in pg_roles; 0 is PUBLIC.'),
                ('audit', 'login_oid', 'The login, in pg_roles.'),
                ('audit', 'by_oid', 'The role that it is in and that leads there, in pg_roles; null for itself.'),
                ('audit', 'name', 'The name.'),
                ('audit', 'role', 'The role by name.'),
                ('audit', 'by_role', 'The same by name.'),
                ('audit', 'login', 'The name of the login.'),
                ('audit', 'owner', 'The owner of the object.'),
                ('audit', 'table_name', 'Schema and name of the table.'),
                ('audit', 'column_name', 'The column; null where the right is to the whole.'),
                ('audit', 'relkind', 'As in pg_class: v for a view, m for a materialized one.'),
                ('audit', 'privilege', 'SELECT, INSERT, EXECUTE and so on.'),
                ('audit', 'kind', 'What kind of object, or of fact, it is.'),
                ('audit', 'object', 'Whom or what it is about.'),
                ('audit', 'what', 'What it is.'),
                ('audit', 'reason', 'Why it is so.'),
                ('audit', 'way', 'The name of the finding that says so.'),
                ('audit', 'finding', 'The name of the finding: its view is audit.finding_ with this name.'),
                ('audit', 'level', 'error: clients are not kept apart, or may not be. warning: it is slow, or one step from an error.'),
                ('audit', 'detail', 'What is wrong.'),
                ('audit', 'remedy', 'The statement that mends it, or what to do.'),
                ('audit', 'change', 'added, removed or changed.'),
                ('audit', 'applied', 'What is declared; null where it was added.'),
                ('audit', 'present', 'What is there now; null where it was removed.')
        ) as w (schema, name, said) on w.schema = n.nspname and w.name = a.attname
        where n.nspname in ('app', 'reporting', 'audit')
            and c.relkind = 'v'
            and pg_catalog.col_description(c.oid, a.attnum) is null
        order by c.oid, a.attnum
    loop
        select pg_catalog.col_description(read.oid, source.attnum)
        into inherited
        from pg_catalog.pg_rewrite as w
        join pg_catalog.pg_depend as d
            on d.classid = 'pg_catalog.pg_rewrite'::regclass
            and d.objid = w.oid
            and d.refclassid = 'pg_catalog.pg_class'::regclass
        join pg_catalog.pg_class as read on read.oid = d.refobjid and read.oid <> silent.oid
        join pg_catalog.pg_attribute as source
            on source.attrelid = read.oid and source.attnum = d.refobjsubid and source.attname = silent.attname
        where w.ev_class = silent.oid and pg_catalog.col_description(read.oid, source.attnum) is not null
        order by
            read.relname = case silent.relname when 'invoices' then 'factures' else silent.relname end desc,
            read.relname
        limit 1;
        execute pg_catalog.format(
            'comment on column %s.%I is %L',
            silent.oid::regclass,
            silent.attname,
            case when silent.nspname = 'reporting' then coalesce(silent.said, inherited) else coalesce(inherited, silent.said) end
        );
    end loop;
end
$columns$;
