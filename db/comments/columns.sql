-- This file adds a comment to each view column that has none. A column of schema reporting gets the text that this file
-- lists for its name, or else the comment of the table column that the view reads. A column of schema app or audit gets
-- the comment of the table column, or else the text that this file lists for its name.
do $columns$
declare
    uncommented record;
    source_comment text;
begin
    for uncommented in
        select c.oid, c.relname, a.attnum, a.attname, n.nspname, w.comment
        from pg_catalog.pg_class as c
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum > 0
        left join (
            values
                ('reporting', 'client_id', 'Joins reporting.clients.id.'),
                (
                    'reporting', 'commune_code',
                    'INSEE code of the commune; null if unknown. Joins reporting.communes.code, which has its name.'
                ),
                ('reporting', 'credits_id', 'Joins reporting.invoices.id.'),
                ('reporting', 'site_id', 'Joins reporting.sites.id.'),
                ('reporting', 'reclamation_id', 'Joins reporting.reclamations.id.'),
                ('reporting', 'invoice_id', 'Joins reporting.invoices.id.'),
                ('reporting', 'partner_id', 'Joins reporting.partners.id.'),
                ('reporting', 'user_id', 'Joins reporting.users.id.'),
                ('reporting', 'changed_by', 'Joins reporting.users.id.'),
                ('reporting', 'assignee_id', 'Joins reporting.users.id.'),
                ('reporting', 'author_id', 'Joins reporting.users.id.'),
                ('reporting', 'note_id', 'Joins reporting.tasks.id.'),
                ('reporting', 'amount_paid', 'Euros paid, tax included; 0 until the whole amount is paid.'),
                ('audit', 'oid', 'Oid of the object in its catalog.'),
                ('audit', 'table_oid', 'Table, in pg_class.'),
                ('audit', 'role_oid', 'Role, in pg_roles; 0 is PUBLIC.'),
                ('audit', 'login_oid', 'Login, in pg_roles.'),
                ('audit', 'by_oid', 'Role through which the login has the power, in pg_roles; null for the login itself.'),
                ('audit', 'name', 'Name of the object.'),
                ('audit', 'role', 'Name of the role.'),
                ('audit', 'by_role', 'Name of the role through which the login has the power.'),
                ('audit', 'login', 'Name of the login.'),
                ('audit', 'owner', 'Owner of the object.'),
                ('audit', 'table_name', 'Schema and name of the table.'),
                ('audit', 'column_name', 'Column; null for a right to the whole object.'),
                ('audit', 'relkind', 'Kind as in pg_class: v for a view, m for a materialized view.'),
                ('audit', 'privilege', 'Privilege, such as SELECT, INSERT or EXECUTE.'),
                ('audit', 'kind', 'Kind of the object or fact.'),
                ('audit', 'object', 'Object or role that the row is about.'),
                ('audit', 'what', 'Description of the object.'),
                ('audit', 'reason', 'Reason, as text.'),
                ('audit', 'way', 'Name of the finding that explains this way to a row.'),
                ('audit', 'finding', 'Name of the finding, as in the name of its view audit.finding_….'),
                ('audit', 'level', 'error: a tenant may see rows of another. warning: slow, or close to an error.'),
                ('audit', 'detail', 'Description of the error.'),
                ('audit', 'remedy', 'Statement that corrects the error, or advice.'),
                (
                    'audit', 'who',
                    'dba if an administrator of this database can mend it; provider if only the provider of the server can.'
                ),
                (
                    'audit', 'provider',
                    'What is weaker and what to do instead, where only the provider of the server can mend it; else null.'
                ),
                ('audit', 'change', 'added, removed or changed.'),
                ('audit', 'applied', 'Declared definition; null if the object was added.'),
                ('audit', 'present', 'Present definition; null if the object was removed.')
        ) as w (schema, name, comment) on w.schema = n.nspname and w.name = a.attname
        where n.nspname in ('app', 'reporting', 'audit')
            and c.relkind = 'v'
            and pg_catalog.col_description(c.oid, a.attnum) is null
        order by c.oid, a.attnum
    loop
        select pg_catalog.col_description(read.oid, source.attnum)
        into source_comment
        from pg_catalog.pg_rewrite as w
        join pg_catalog.pg_depend as d
            on d.classid = 'pg_catalog.pg_rewrite'::regclass
            and d.objid = w.oid
            and d.refclassid = 'pg_catalog.pg_class'::regclass
        join pg_catalog.pg_class as read on read.oid = d.refobjid and read.oid <> uncommented.oid
        join pg_catalog.pg_attribute as source
            on source.attrelid = read.oid and source.attnum = d.refobjsubid and source.attname = uncommented.attname
        where w.ev_class = uncommented.oid and pg_catalog.col_description(read.oid, source.attnum) is not null
        order by
            read.relname = case uncommented.relname when 'invoices' then 'factures' else uncommented.relname end desc,
            read.relname
        limit 1;
        execute pg_catalog.format(
            'comment on column %s.%I is %L',
            uncommented.oid::regclass,
            uncommented.attname,
            case when uncommented.nspname = 'reporting' then coalesce(uncommented.comment, source_comment) else coalesce(source_comment, uncommented.comment) end
        );
    end loop;
end
$columns$;
