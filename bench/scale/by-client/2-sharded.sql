-- This script creates the tables of tenants a second time in the schema `sharded`, each in eight partitions by the hash
-- of the client, as a distributed Postgres would have them on eight nodes. Keys and foreign keys contain the client,
-- because Postgres enforces no unique key without the partition column. The script runs after 1-key.sql.

create schema sharded;
grant usage on schema sharded to
    taxclaims_admin, taxclaims_scoped_admin, taxclaims_account_manager, taxclaims_tax_specialist, taxclaims_client;

do $tables$
declare
    wanted record;
    part integer;
begin
    for wanted in
        select *
        from (
            values
                ('clients', 'id', 'primary key (id)'),
                ('sites', 'client_id', 'primary key (client_id, id), foreign key (client_id) references sharded.clients (id) on delete cascade'),
                ('cadastres', 'client_id', 'primary key (client_id, id), unique (client_id, site_id, reference), foreign key (client_id, site_id) references sharded.sites (client_id, id) on delete cascade'),
                ('reclamations', 'client_id', 'primary key (client_id, id), foreign key (client_id, site_id) references sharded.sites (client_id, id) on delete cascade, foreign key (assignee_id) references public.users (id) on delete set null deferrable initially deferred'),
                ('reclamation_history', 'client_id', 'primary key (client_id, id), foreign key (client_id, reclamation_id) references sharded.reclamations (client_id, id) on delete cascade'),
                ('documents', 'client_id', 'primary key (client_id, id), unique (client_id, file_path), foreign key (client_id, reclamation_id) references sharded.reclamations (client_id, id) on delete cascade'),
                ('factures', 'client_id', 'primary key (client_id, id), foreign key (client_id) references sharded.clients (id) on delete cascade, foreign key (client_id, reclamation_id) references sharded.reclamations (client_id, id) on delete set null (reclamation_id)'),
                ('client_partners', 'client_id', 'primary key (client_id, partner_id), foreign key (client_id) references sharded.clients (id) on delete cascade, foreign key (partner_id) references public.partners (id) deferrable initially deferred'),
                ('partner_invoices', 'client_id', 'primary key (client_id, id), unique (client_id, partner_id, number), foreign key (client_id) references sharded.clients (id) on delete cascade, foreign key (partner_id) references public.partners (id) on delete restrict, foreign key (client_id, invoice_id) references sharded.factures (client_id, id) on delete set null (invoice_id)')
        ) as t (name, key, constraints)
    loop
        execute format(
            'create table sharded.%1$I (like public.%1$I including defaults including generated, %3$s) partition by hash (%2$I)',
            wanted.name, wanted.key, wanted.constraints
        );
        for part in 0..7 loop
            execute format(
                'create table sharded.%I partition of sharded.%I for values with (modulus 8, remainder %s)',
                wanted.name || '_' || part, wanted.name, part
            );
        end loop;
        execute (
            select format(
                'insert into sharded.%1$I (%2$s) select %2$s from public.%1$I', wanted.name, string_agg(quote_ident(attname), ', ')
            )
            from pg_attribute
            where attrelid = ('public.' || wanted.name)::regclass and attnum > 0 and not attisdropped and attgenerated = ''
        );
    end loop;
end
$tables$;

-- The new tables get the indexes, grants and policies of the tables of 1-key.sql. Unique indexes are created above.
do $copies$
declare
    statement text;
begin
    for statement in
        select regexp_replace(
            pg_get_indexdef(i.indexrelid), '^CREATE INDEX (\S+) ON public\.', 'create index \1 on sharded.'
        )
        from pg_index as i
        join pg_class as t on t.oid = i.indrelid
        join pg_class as s on s.relname = t.relname and s.relnamespace = 'sharded'::regnamespace
        where t.relnamespace = 'public'::regnamespace and not i.indisunique
        union all
        select format('alter table sharded.%I enable row level security', s.relname)
        from pg_class as s
        where s.relnamespace = 'sharded'::regnamespace and s.relkind = 'p'
        union all
        select distinct format('grant %s (%I) on sharded.%I to %I', a.privilege_type, c.attname, s.relname, r.rolname)
        from pg_class as s
        join pg_class as t on t.relname = s.relname and t.relnamespace = 'public'::regnamespace
        join pg_attribute as c on c.attrelid = t.oid and c.attnum > 0
        cross join lateral aclexplode(c.attacl) as a
        join pg_roles as r on r.oid = a.grantee
        where s.relnamespace = 'sharded'::regnamespace and s.relkind = 'p'
            and r.rolname in ('taxclaims_admin', 'taxclaims_scoped_admin', 'taxclaims_account_manager', 'taxclaims_tax_specialist', 'taxclaims_client')
        union all
        select format('grant delete on sharded.%I to %s', p.tablename, array_to_string(p.roles, ', '))
        from pg_policies as p
        join pg_class as s on s.relname = p.tablename and s.relnamespace = 'sharded'::regnamespace
        where p.schemaname = 'public' and p.cmd = 'DELETE' and p.roles::text like '%taxclaims_admin%'
        union all
        select format(
            'create policy %I on sharded.%I as %s for %s to %s%s%s', p.policyname, p.tablename, p.permissive, p.cmd,
            array_to_string(p.roles, ', '), ' using (' || p.qual || ')', ' with check (' || p.with_check || ')'
        )
        from pg_policies as p
        join pg_class as s on s.relname = p.tablename and s.relnamespace = 'sharded'::regnamespace
        where p.schemaname = 'public'
            and p.roles && array[
                'taxclaims_admin', 'taxclaims_scoped_admin', 'taxclaims_account_manager', 'taxclaims_tax_specialist',
                'taxclaims_client'
            ]::name[]
    loop
        execute statement;
    end loop;
end
$copies$;
