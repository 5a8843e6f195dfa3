-- The comments of columns of views that have none: for reporting the join of the key, then the comment of the column
-- that the view reads, then the text below.
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
                ('reporting', 'author_id', 'Joins reporting.users.id.'),
                ('reporting', 'note_id', 'Joins reporting.tasks.id.'),
                ('reporting', 'amount_paid', 'Euros paid, tax included; 0 until paid whole.'),
                ('audit', 'oid', 'Oid of the object in its catalog.'),
                ('audit', 'table_oid', 'Table, in pg_class.'),
                ('audit', 'role_oid', 'Role, in pg_roles; 0 is PUBLIC.'),
                ('audit', 'login_oid', 'Login, in pg_roles.'),
                ('audit', 'by_oid', 'Role in between, in pg_roles; null for the login itself.'),
                ('audit', 'name', 'Name of the object.'),
                ('audit', 'role', 'Name of the role.'),
                ('audit', 'by_role', 'Name of the role in between.'),
                ('audit', 'login', 'Name of the login.'),
                ('audit', 'owner', 'Owner of the object.'),
                ('audit', 'table_name', 'Schema and name of the table.'),
                ('audit', 'column_name', 'Column; null for a right to the whole.'),
                ('audit', 'relkind', 'Kind as in pg_class: v for a view, m for a materialized view.'),
                ('audit', 'privilege', 'SELECT, INSERT, EXECUTE and so on.'),
                ('audit', 'kind', 'Kind of the object or fact.'),
                ('audit', 'object', 'Object or role concerned.'),
                ('audit', 'what', 'Description of the object.'),
                ('audit', 'reason', 'Reason in words.'),
                ('audit', 'way', 'Name of the finding that explains this way.'),
                ('audit', 'finding', 'Name of the finding; the view audit.finding_… has this name.'),
                ('audit', 'level', 'error: tenants may see rows of others. warning: slow, or close to an error.'),
                ('audit', 'detail', 'What is wrong.'),
                ('audit', 'remedy', 'Statement that corrects the finding, or advice.'),
                ('audit', 'change', 'added, removed or changed.'),
                ('audit', 'applied', 'Declared definition; null if added.'),
                ('audit', 'present', 'Definition now; null if removed.')
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
