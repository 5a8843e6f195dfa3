-- taxclaims_admin may do to every row what taxclaims_scoped_admin may do to the rows of its clients. taxclaims_admin
-- has separate policies, because an `or` in the policies of other roles would prevent the use of an index. A table that
-- already has a policy of taxclaims_admin for a command gets no second policy for the command.
do $admin$
declare
    command text;
begin
    for command in
        select pg_catalog.format(
            'grant %s (%s) on %s to taxclaims_admin',
            p.privilege,
            pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', '),
            c.oid::regclass
        )
        from pg_catalog.pg_class as c
        join pg_catalog.pg_attribute as a on a.attrelid = c.oid and not a.attisdropped
        cross join (values ('SELECT'), ('INSERT'), ('UPDATE')) as p (privilege)
        where c.relnamespace in ('public'::regnamespace, 'app'::regnamespace)
            and c.relkind in ('r', 'p')
            and c.relowner = 'taxclaims_owner'::regrole
            and pg_catalog.has_column_privilege('taxclaims_scoped_admin', c.oid, a.attnum, p.privilege)
        group by c.oid, p.privilege
        union all
        select pg_catalog.format('grant delete on %s to taxclaims_admin', c.oid::regclass)
        from pg_catalog.pg_class as c
        where c.relnamespace in ('public'::regnamespace, 'app'::regnamespace)
            and c.relkind in ('r', 'p')
            and c.relowner = 'taxclaims_owner'::regrole
            and pg_catalog.has_table_privilege('taxclaims_scoped_admin', c.oid, 'DELETE')
        union all
        select distinct pg_catalog.format(
            'create policy %I on %s for %s to taxclaims_admin %s',
            c.relname || '_' || does.command || '_admin',
            c.oid::regclass,
            does.command,
            does.every_row
        )
        from pg_catalog.pg_policy as p
        join pg_catalog.pg_class as c
            on c.oid = p.polrelid
            and c.relnamespace in ('public'::regnamespace, 'app'::regnamespace)
            and c.relowner = 'taxclaims_owner'::regrole
        join (
            values
                ('r', 'select', 'using (true)'),
                ('a', 'insert', 'with check (true)'),
                ('w', 'update', 'using (true) with check (true)'),
                ('d', 'delete', 'using (true)')
        ) as does (letter, command, every_row) on does.letter = p.polcmd::text
        where exists (
                select
                from pg_catalog.unnest(p.polroles) as named (oid)
                where pg_catalog.pg_has_role('taxclaims_scoped_admin', named.oid, 'USAGE')
            )
            and not exists (
                select
                from pg_catalog.pg_policy as own
                where own.polrelid = p.polrelid
                    and own.polcmd = p.polcmd
                    and 'taxclaims_admin'::regrole = any (own.polroles)
            )
    loop
        execute command;
    end loop;
end
$admin$;

drop function app.grant_columns(regclass, name, name, name[], name[], name[], name[], name[]);
