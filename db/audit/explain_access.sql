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
-- list '{}' has all clients. The parameter `user_id` is the id of the caller; some policies compare a column with it.
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
    'claim of the new row. The column `as_role` is the database role of the request.';

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
