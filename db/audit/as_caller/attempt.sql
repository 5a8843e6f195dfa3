-- A link between a client and a partner has no id: audit.attempt_command finds it by its client.
create function audit.table_of_id(target regclass, command text)
    returns regclass
    language sql stable set search_path = ''
begin atomic
    select case
        when command <> 'INSERT' and target <> 'public.client_partners'::regclass
            then (
                select a.attrelid
                from pg_catalog.pg_attribute as a
                where a.attrelid = target and a.attname = 'id' and a.atttypid = 'pg_catalog.uuid'::regtype
            )
        when target = 'public.cadastres'::regclass then 'public.sites'::regclass
        when target = 'public.documents'::regclass or target = 'public.notes'::regclass then 'public.reclamations'::regclass
        when target = 'public.clients'::regclass
            or target = 'public.users'::regclass
            or exists (
                select
                from pg_catalog.pg_attribute as a
                where a.attrelid = target and a.attname = 'client_id' and not a.attisdropped
            )
            then 'public.clients'::regclass
    end;
end;

comment on function audit.table_of_id(regclass, text) is
    'Table whose row the id names that audit.explain_access takes for a command: for an INSERT that of the client, site '
    'or claim of the new row. Null if the command takes no id, as for a new partner.';

-- audit.attempt_command runs a command, counts its rows, and raises an exception that rolls back the command and the
-- audit record that the command wrote. For an INSERT the parameter `id` is the client, site or claim to which the new
-- row belongs. audit.attempt_command does not check deferred constraints, because Postgres checks them only at commit.
create function audit.attempt_command(target regclass, command text, id uuid, client_access uuid[], user_id uuid)
    returns table (statement text, touched bigint, failure text, message text)
    language plpgsql volatile
    set lock_timeout = '2s'
    set search_path = ''
as $function$
declare
    -- Request roles may not read the views of schema audit, so audit.attempt_command reads pg_catalog.
    name constant text := (
        select pg_catalog.format('%I.%I', n.nspname, c.relname)
        from pg_catalog.pg_class as c
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        where c.oid = target and c.relkind in ('r', 'p') and n.nspname in ('public', 'app', 'reporting', 'audit')
    );
    key constant text := (
        select a.attname
        from pg_catalog.pg_attribute as a
        where a.attrelid = target and a.atttypid = 'pg_catalog.uuid'::regtype and a.attname in ('id', 'client_id')
        order by a.attname desc
        limit 1
    );
    -- For an UPDATE, audit.attempt_command sets one column to its present value, if possible a column that the caller
    -- may update.
    changed constant text := (
        select a.attname
        from pg_catalog.pg_attribute as a
        where a.attrelid = target and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        order by
            pg_catalog.has_column_privilege(target, a.attnum, 'UPDATE') desc,
            pg_catalog.has_column_privilege(target, a.attnum, 'SELECT') desc,
            a.attnum
        limit 1
    );
    -- The API chooses the id of a new client and adds it to the clients of the request. Every caller of the API is a user.
    new_id constant uuid := coalesce(attempt_command.id, pg_catalog.gen_random_uuid());
    clients constant uuid[] := coalesce(attempt_command.client_access, '{}')
        || case when attempt_command.command = 'INSERT' and target = 'public.clients'::regclass then array[new_id] else '{}' end;
    caller_id constant uuid := coalesce(
        attempt_command.user_id, case attempt_command.command when 'INSERT' then pg_catalog.gen_random_uuid() end
    );
    condition constant text := case when key is null then '' else pg_catalog.format(' where %I = %L', key, attempt_command.id) end;
begin
    if name is null then
        raise exception '% is not a table of this application', target using errcode = 'invalid_parameter_value';
    end if;
    statement := case attempt_command.command
        when 'SELECT' then 'select 1 from ' || name || condition
        when 'UPDATE' then pg_catalog.format('update %s set %I = %I', name, changed, changed) || condition
        when 'DELETE' then 'delete from ' || name || condition
        when 'INSERT' then 'insert into ' || name || ' ' || pg_catalog.format(
            case name
                when 'public.clients' then '(id, company_name, contact_email) values (%1$L, ''x'', ''x@example.org'')'
                when 'public.sites' then '(client_id, site_name) values (%1$L, ''x'')'
                when 'public.cadastres' then '(site_id, commune_code, section, number) values (%1$L, ''75056'', ''AB'', ''0000'')'
                when 'public.reclamations' then
                    '(client_id, site_id, claim_type, amount) values (%1$L, pg_catalog.gen_random_uuid(), ''TF'', 0)'
                when 'public.documents' then
                    '(reclamation_id, filename, file_path) values (%1$L, ''x'', pg_catalog.gen_random_uuid()::text)'
                when 'public.notes' then
                    '(client_id, reclamation_id, author_id, text, internal) '
                    'select r.client_id, r.id, app.user_id(), ''x'', false from public.reclamations as r where r.id = %1$L'
                when 'public.partners' then '(name) values (''x'')'
                when 'public.client_partners' then '(client_id, partner_id) values (%1$L, pg_catalog.gen_random_uuid())'
                when 'public.factures' then '(client_id, amount_excl_tax) values (%1$L, 0)'
                when 'public.partner_invoices' then
                    '(partner_id, client_id, number, amount_excl_tax) values ('
                    '(select l.partner_id from public.client_partners as l where l.client_id = %1$L limit 1), '
                    '%1$L, ''x'', 0)'
                when 'public.users' then
                    '(email, password_hash, name, role, client_access) '
                    'values (pg_catalog.gen_random_uuid()::text, ''!'', ''x'', ''CLIENT'', array[%1$L]::uuid[])'
                else 'default values'
            end,
            new_id
        )
    end;
    begin
        perform
            pg_catalog.set_config('app.client_access', clients::text, true),
            pg_catalog.set_config('app.user_id', coalesce(caller_id::text, ''), true);
        execute statement;
        get diagnostics touched = row_count;
        -- errcode is not TX000, because `when sqlstate 'TX000'` would catch every error of class TX.
        raise exception using errcode = 'TX299', message = 'to be taken back';
    exception
        when sqlstate 'TX299' then
            null;
        -- An error of a read-only transaction or a lock timeout does not show what the caller may do.
        when read_only_sql_transaction or lock_not_available then
            raise;
        when others then
            touched := 0;
            failure := sqlstate;
            message := sqlerrm;
    end;
    return next;
end
$function$;

comment on function audit.attempt_command(regclass, text, uuid, uuid[], uuid) is
    'Runs one command on one record with the caller''s rights, rolls the command back and returns its result. For '
    'audit.explain_access.';

-- This DO block creates one function for each request role, such as audit.as_client for taxclaims_client. Each request
-- role will own its audit.as_… function, because a SECURITY DEFINER function runs as its owner and cannot switch to
-- another role. See docs/decisions/audit-as-caller.md.
do $doors$
declare
    function_name text;
    request_role name;
begin
    for request_role in
        select h.name
        from audit.house_roles as h
        where h.purpose = 'request'
    loop
        function_name := pg_catalog.format('audit.%I', pg_catalog.replace(request_role, 'taxclaims_', 'as_'));
        execute pg_catalog.format(
            $door$
            create function %1$s(target regclass, command text, id uuid, client_access uuid[], user_id uuid)
                returns table (statement text, touched bigint, failure text, message text)
                language sql volatile security definer set search_path = ''
            begin atomic
                select a.statement, a.touched, a.failure, a.message
                from audit.attempt_command(target, command, id, client_access, user_id) as a;
            end;
            comment on function %1$s(regclass, text, uuid, uuid[], uuid) is
                'Runs audit.attempt_command with the rights of the request role %2$I, which owns this function. For '
                'audit.explain_access.';
            -- hand_over.sql makes the request role the owner of the function. taxclaims_owner loses EXECUTE on the
            -- function, because other roles may inherit from taxclaims_owner.
            revoke execute on function %1$s(regclass, text, uuid, uuid[], uuid) from taxclaims_owner;
            grant execute on function %1$s(regclass, text, uuid, uuid[], uuid) to taxclaims_auditor;
            grant execute on function audit.attempt_command(regclass, text, uuid, uuid[], uuid) to %2$I;
            $door$,
            function_name,
            request_role
        );
    end loop;
end
$doors$;
