-- Grants taxclaims_reporting the columns that the views of schema reporting select, because the views run with the
-- rights of the reporting login.
do $reporting$
declare
    command text;
begin
    for command in
        select pg_catalog.format(
            'grant select (%s) on %s to taxclaims_reporting',
            pg_catalog.string_agg(distinct pg_catalog.quote_ident(a.attname), ', '),
            t.oid::regclass
        )
        from pg_catalog.pg_class as v
        join pg_catalog.pg_rewrite as w on w.ev_class = v.oid
        join pg_catalog.pg_depend as d
            on d.classid = 'pg_catalog.pg_rewrite'::regclass
            and d.objid = w.oid
            and d.refclassid = 'pg_catalog.pg_class'::regclass
        join pg_catalog.pg_class as t
            on t.oid = d.refobjid
            and t.relkind in ('r', 'p')
            and t.relowner = 'taxclaims_owner'::regrole
        join pg_catalog.pg_attribute as a on a.attrelid = t.oid and a.attnum = d.refobjsubid
        where v.relkind = 'v' and pg_catalog.has_table_privilege('taxclaims_reporting', v.oid, 'SELECT')
            and v.relnamespace in ('app'::regnamespace, 'reporting'::regnamespace)
        group by t.oid
    loop
        execute command;
    end loop;
end
$reporting$;

-- Each table whose rows belong to a client gets one policy for each of the three reporting roles. A table whose own
-- file in db/policies has a reporting policy gets only the policy for taxclaims_reporting_all, and the audit log gets
-- no policy here. The policies compare reporting.grants with session_user, because a reporting login can change every
-- setting by SQL. The policy for taxclaims_reporting_few repeats the condition of the policy for taxclaims_reporting in
-- a form that uses an index. The policy for taxclaims_reporting_few is restrictive, so it can only hide rows. The
-- policy for taxclaims_reporting_all allows every row, but the role itself has no grant on a table.
do $policies$
declare
    tenant record;
begin
    for tenant in
        select c.oid::regclass as name, c.relname, key.attname as key
        from pg_catalog.pg_class as c
        left join pg_catalog.pg_attribute as key
            on key.attrelid = c.oid and key.attname = case c.relname when 'clients' then 'id' else 'client_id' end
            and not exists (
                select from pg_catalog.pg_policy as p
                where p.polrelid = c.oid and 'taxclaims_reporting'::regrole = any (p.polroles)
            )
        where c.relnamespace in ('public'::regnamespace, 'app'::regnamespace)
            and c.relkind in ('r', 'p')
            and c.relowner = 'taxclaims_owner'::regrole
            and pg_catalog.has_any_column_privilege('taxclaims_reporting', c.oid, 'SELECT')
    loop
        if tenant.key is not null then
            execute pg_catalog.format(
                'create policy %1$I on %2$s for select to taxclaims_reporting
                    using (%3$I in (select g.client_id from reporting.grants as g where g.login = session_user))',
                tenant.relname || '_select_reporting', tenant.name, tenant.key
            );
            execute pg_catalog.format(
                'create policy %1$I on %2$s as restrictive for select to taxclaims_reporting_few
                    using (%3$I = any (
                        (select array(select g.client_id from reporting.grants as g where g.login = session_user))::uuid[]
                    ))',
                tenant.relname || '_select_reporting_few', tenant.name, tenant.key
            );
        end if;
        if tenant.name <> 'public.audit_logs'::regclass then
            execute pg_catalog.format(
                'create policy %1$I on %2$s for select to taxclaims_reporting_all using (true)',
                tenant.relname || '_select_reporting_all', tenant.name
            );
        end if;
    end loop;
end
$policies$;
