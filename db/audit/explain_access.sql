-- audit.request_role chooses the database role of a request as src/db/settings.ts does. The parameter `role` is a role
-- from a token, such as ADMIN, or the name of a request role, with or without the prefix taxclaims_.
create function audit.request_role(role text, has_clients boolean)
    returns name
    language sql stable set search_path = ''
begin atomic
    select h.name
    from audit.house_roles as h
    cross join (values (pg_catalog.replace(pg_catalog.lower(request_role.role), 'taxclaims_', ''))) as said (role)
    where h.purpose = 'request'
        and h.name = 'taxclaims_' || case
            when said.role <> 'admin' then said.role
            when not request_role.has_clients then 'admin'
            when request_role.role ilike 'taxclaims%' then null
            else 'scoped_admin'
        end
        and (request_role.has_clients or h.name <> 'taxclaims_scoped_admin');
end;

comment on function audit.request_role(text, boolean) is
    'Database role of a request, which depends on the role in the token and on whether the token lists clients; null '
    'if no database role fits. audit.explain_access and audit.who_can_see call this function.';

-- The parameters `role` and `client_access` are the role and the list of clients in a token; an ADMIN with the empty
-- list '{}' has all clients. The parameter `user_id` is the id of the caller; some policies compare a column with it, such
-- as those of users and notes. Without `user_id` the caller is a user who has written and received no row.
create function audit.explain_access(
    role text,
    client_access uuid[],
    table_name text,
    command text,
    id uuid,
    user_id uuid default null
)
    returns table (allowed boolean, decided_by text, reason text, statement text, as_role text)
    language plpgsql volatile set search_path = ''
as $function$
declare
    caller constant text := audit.request_role(explain_access.role, explain_access.client_access <> '{}');
    door constant text := pg_catalog.replace(caller, 'taxclaims_', 'as_');
    wanted constant text := pg_catalog.upper(explain_access.command);
    full_name constant text := case
        when explain_access.table_name like '%.%' then explain_access.table_name
        else 'public.' || explain_access.table_name
    end;
    target constant regclass := (select t.oid from audit.house_tables as t where t.name = full_name);
    deciding record;
    parent constant regclass := case wanted when 'INSERT' then audit.table_of_id(target, wanted) end;
    tried record;
    seen bigint;
    exists_ bigint;
begin
    if explain_access.client_access is null or pg_catalog.array_position(explain_access.client_access, null) is not null then
        raise exception 'the list of clients is null or contains a null' using
            errcode = 'invalid_parameter_value',
            hint = 'For a caller without a list pass ''{}''.';
    end if;
    if caller is null then
        raise exception '% is not a request role of a caller % a list of clients',
            explain_access.role,
            case explain_access.client_access when '{}' then 'without' else 'with' end
            using
                errcode = 'invalid_parameter_value',
                hint = 'Pass the role of a token, such as ADMIN or CLIENT: an ADMIN with a list runs as '
                    'taxclaims_scoped_admin, an ADMIN without a list as taxclaims_admin. No function can act as a '
                    'reporting login: use audit.who_can_see.';
    end if;
    if target is null then
        raise exception '% is not a table of this application', full_name using errcode = 'undefined_table';
    end if;
    if wanted not in ('SELECT', 'INSERT', 'UPDATE', 'DELETE') then
        raise exception 'the command must be select, insert, update or delete, not %', explain_access.command
            using errcode = 'invalid_parameter_value';
    end if;
    perform audit.require_fitting_id(target, wanted, explain_access.id);

    execute pg_catalog.format('select * from audit.%I($1, $2, $3, $4, $5)', door)
        into tried
        using target, wanted, explain_access.id, explain_access.client_access, explain_access.user_id;
    statement := tried.statement;
    as_role := caller;
    deciding := audit.deciding_policies(caller, target, wanted);

    -- Postgres checks in this order: grants, USING of policies, BEFORE triggers, WITH CHECK of policies, constraints.
    if tried.failure = '42501' and tried.message like 'permission denied%' then
        allowed := false;
        decided_by := 'no grant';
        reason := pg_catalog.format('%s is not granted on %s to %s: %s', wanted, full_name, caller, tried.message);
    elsif tried.failure = '42501' and tried.message like '%row-level security%' then
        allowed := false;
        decided_by := coalesce('policy ' || deciding.names, 'no policy');
        reason := coalesce('the new row does not satisfy ' || deciding.checks, 'no policy lets it: row-level security refuses');
    elsif tried.failure is not null then
        -- If a constraint refuses the sample row of an INSERT, the grants and policies have already allowed the row.
        allowed := wanted = 'INSERT' and tried.failure like '23%';
        decided_by := case when allowed then 'policy ' || deciding.names else 'a trigger or a constraint' end;
        reason := pg_catalog.format('the grants suffice; then: %s (%s)', tried.message, tried.failure);
    elsif tried.touched > 0 then
        allowed := true;
        decided_by := 'policy ' || deciding.names;
        reason := pg_catalog.format(
            '%s is granted, and the row satisfies %s',
            wanted,
            case wanted when 'INSERT' then deciding.checks else deciding.conditions end
        );
    elsif parent is not null then
        allowed := false;
        deciding := audit.deciding_policies(caller, parent, 'SELECT');
        decided_by := coalesce('policy ' || deciding.names, 'no policy');
        reason := pg_catalog.format('the row of %s cannot be seen: it does not satisfy %s', parent, deciding.conditions);
    else
        allowed := false;
        select a.touched into exists_
        from audit.as_admin(target, 'SELECT', explain_access.id, null, null) as a;
        execute pg_catalog.format('select touched from audit.%I($1, $2, $3, $4, $5)', door)
            into seen
            using target, 'SELECT', explain_access.id, explain_access.client_access, explain_access.user_id;
        if deciding.names is null then
            decided_by := 'no policy';
            reason := pg_catalog.format('%s is granted, but no policy lets %s touch a row of %s', wanted, caller, full_name);
        elsif exists_ = 0 then
            decided_by := 'no such record';
            reason := 'taxclaims_admin, who sees all of them, sees none by this id';
        elsif seen = 0 and wanted <> 'SELECT' then
            deciding := audit.deciding_policies(caller, target, 'SELECT');
            decided_by := 'policy ' || deciding.names;
            reason := 'the row cannot be seen: it does not satisfy ' || deciding.conditions;
        else
            decided_by := 'policy ' || deciding.names;
            reason := 'the row does not satisfy ' || deciding.conditions;
        end if;
    end if;
    return next;
end
$function$;

comment on function audit.explain_access(text, uuid[], text, text, uuid, uuid) is
    'Tells whether a caller may run a command on a record, and which grant or policy decides. audit.explain_access '
    'runs the command and rolls it back. The parameter `id` names the record, or for an INSERT the client, site or '
    'claim of the new row (null for a new client or partner); an id of another table is an error. The parameter '
    '`user_id` is the id of the caller, for tables whose policies compare it: users and notes. The column `as_role` is '
    'the database role of the request.';

create function audit.require_fitting_id(target regclass, command text, id uuid)
    returns void
    language plpgsql volatile set search_path = ''
as $function$
declare
    wanted constant regclass := audit.table_of_id(target, require_fitting_id.command);
    is_new_client constant boolean := require_fitting_id.command = 'INSERT' and wanted = target;
    candidate record;
    tried record;
begin
    if wanted is null then
        return;
    end if;
    if require_fitting_id.id is null then
        if is_new_client then
            return;
        end if;
        raise exception 'the id is null' using
            errcode = 'invalid_parameter_value',
            hint = pg_catalog.format('Pass the id of a row of %s.', wanted);
    end if;
    for candidate in
        select t.oid::regclass as relation
        from audit.house_tables as t
        join pg_catalog.pg_attribute as a on a.attrelid = t.oid and a.attname = 'id' and a.atttypid = 'pg_catalog.uuid'::regtype
        where t.name like 'public.%' or t.oid = wanted
        order by t.oid = wanted desc, t.name
    loop
        select a.touched, a.failure
        into tried
        from audit.as_admin(candidate.relation, 'SELECT', require_fitting_id.id, null, null) as a;
        -- taxclaims_admin may not read every table of schema app.
        if candidate.relation = wanted and not is_new_client and (tried.touched > 0 or tried.failure is not null) then
            return;
        elsif tried.touched > 0 then
            raise exception 'the id is that of a row of %, not of %',
                candidate.relation, case when is_new_client then 'a new client' else wanted::text end
                using
                    errcode = 'invalid_parameter_value',
                    hint = case
                        when is_new_client then 'Pass null, or an id that no row has.'
                        else pg_catalog.format('Pass the id of a row of %s.', wanted)
                    end;
        end if;
    end loop;
    if require_fitting_id.command = 'INSERT' and not is_new_client then
        raise exception 'no row of % has the id', wanted using
            errcode = 'invalid_parameter_value',
            hint = pg_catalog.format('Pass the id of the row of %s to which the new row belongs.', wanted);
    end if;
end
$function$;

comment on function audit.require_fitting_id(regclass, text, uuid) is
    'Raises an error if an id cannot belong to the row of a command, because a row of another table has it. For '
    'audit.explain_access.';

create function audit.deciding_policies(role text, target regclass, command text, out names text, out conditions text, out checks text)
    language sql stable set search_path = ''
begin atomic
    select
        pg_catalog.string_agg(p.name, ', ' order by p.name),
        pg_catalog.string_agg('using (' || p.using_expression || ')', ' or ' order by p.name),
        pg_catalog.string_agg('with check (' || coalesce(p.check_expression, p.using_expression) || ')', ' or ' order by p.name)
    from audit.policies_by_role_and_command as p
    where p.role = deciding_policies.role
        and p.table_oid = deciding_policies.target
        and p.command = deciding_policies.command;
end;

comment on function audit.deciding_policies(text, regclass, text) is
    'Names and conditions of the policies that apply to a role, a table and a command. For audit.explain_access.';
