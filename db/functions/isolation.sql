-- app.list_login_refusal_reasons lists the powers and settings that a login of the API must not have, whether the login
-- has them itself or through a role. app.list_login_refusal_reasons also lists the rights that requests need and the
-- login lacks. GET /health and audit.findings call app.list_login_refusal_reasons often, so the query reads few catalog
-- rows, and PL/pgSQL caches the query's plan. The deploy writes the list of roles into the text of
-- app.list_login_refusal_reasons, because auditors have no USAGE on schema app and cannot call app.house_roles.
--
-- A role is a mark if it cannot log in and has no attribute, no membership, no right and no object: some providers mark
-- with such a role the logins that they authenticate themselves, such as rds_iam. A mark makes no login unsafe. The
-- deploy also writes this rule into the text, which is that of app.is_mark; reporting.grant_client calls app.is_mark.
do $objections$
declare
    mark constant text := $mark$
            r.oid >= 16384
            and r.rolname not like 'taxclaims\_%'
            and not (
                r.rolcanlogin or r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb or r.rolreplication
            )
            and not exists (select from pg_catalog.pg_auth_members as further where further.member = r.oid)
            and not exists (
                select
                from pg_catalog.pg_shdepend as held
                where held.refclassid = 'pg_catalog.pg_authid'::regclass
                    and held.refobjid = r.oid
                    and held.dbid in (0, (select b.oid from pg_catalog.pg_database as b where b.datname = pg_catalog.current_database()))
            )
    $mark$;
begin
    execute pg_catalog.format(
        $text$
create or replace function app.is_mark(role oid)
    returns boolean
    language sql stable set search_path = ''
begin atomic
    select exists (select from pg_catalog.pg_roles as r where r.oid = is_mark.role and %s);
end;
        $text$,
        mark
    );
    execute pg_catalog.replace(pg_catalog.replace(
        $text$
create or replace function app.list_login_refusal_reasons(login name)
    returns setof text
    language plpgsql stable set search_path = ''
as $function$
begin
    return query
    with reach as (
        select
            r.*,
            r.rolname = list_login_refusal_reasons.login as is_login,
            h.purpose is not distinct from 'request' as is_request_role,
            h.extends
        from pg_catalog.pg_roles as r
        left join pg_catalog.jsonb_to_recordset('deploy.house_roles') as h (name name, purpose text, extends name)
            on h.name = r.rolname
        where r.rolname = list_login_refusal_reasons.login
            or (
                pg_catalog.pg_has_role(list_login_refusal_reasons.login, r.oid, 'MEMBER')
                and not (select s.rolsuper from pg_catalog.pg_roles as s where s.rolname = list_login_refusal_reasons.login)
            )
    )
    select
        pg_catalog.format(
            'the login %I %s %s',
            list_login_refusal_reasons.login,
            case when r.is_login then 'has' else 'can become ' || pg_catalog.quote_ident(r.rolname) || ', which has' end,
            pg_catalog.concat_ws(
                ', ',
                case when r.rolsuper then 'SUPERUSER' end,
                case when r.rolbypassrls then 'BYPASSRLS' end,
                case when r.rolcreaterole then 'CREATEROLE' end,
                case when r.rolcreatedb then 'CREATEDB' end,
                case when r.rolreplication then 'REPLICATION' end
            )
        )
    from reach as r
    where r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb or r.rolreplication
    union all
    select distinct
        pg_catalog.format(
            'the login %I %s a member of %I%s',
            list_login_refusal_reasons.login,
            case when member.is_login then 'is' else 'can become ' || pg_catalog.quote_ident(member.rolname) || ',' end,
            r.rolname,
            case when m.admin_option then ' with the right to give it to others' end
        )
    from pg_catalog.pg_auth_members as m
    join reach as member on member.oid = m.member
    join pg_catalog.pg_roles as r on r.oid = m.roleid
    where m.admin_option
        or not (
            (member.is_login and r.rolname = 'taxclaims_api')
            or (member.rolname = 'taxclaims_api' and exists (
                select from reach as request where request.oid = r.oid and request.is_request_role
            ))
            or (member.is_request_role and r.rolname is not distinct from member.extends)
            or (member.is_login and 'deploy.mark')
        )
    union all
    select pg_catalog.format('the login %I has the rights of %I without becoming it', list_login_refusal_reasons.login, r.rolname)
    from reach as r
    where r.is_request_role and pg_catalog.pg_has_role(list_login_refusal_reasons.login, r.oid, 'USAGE')
    union all
    select pg_catalog.format('the login %I owns this database', list_login_refusal_reasons.login)
    from reach as r
    where r.rolname = 'pg_database_owner'
    union all
    select
        pg_catalog.format(
            'the login %I owns %s objects of this database, such as %s',
            list_login_refusal_reasons.login,
            pg_catalog.count(*),
            pg_catalog.min(pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid))
        )
    from pg_catalog.pg_shdepend as d
    join reach as r on r.oid = d.refobjid
    where d.refclassid = 'pg_catalog.pg_authid'::regclass
        and d.deptype = 'o'
        -- The query leaves out the functions audit.as_…, which request roles own on purpose.
        and not (r.is_request_role and d.classid = 'pg_catalog.pg_proc'::regclass)
        and d.dbid = (select b.oid from pg_catalog.pg_database as b where b.datname = pg_catalog.current_database())
    having pg_catalog.count(*) > 0
    union all
    -- The query reports every stored setting except harmless ones, which limit the session, concern logs, output or
    -- plans, or are set again by each transaction.
    select pg_catalog.format('the login %I begins with %s', list_login_refusal_reasons.login, stored.setting)
    from pg_catalog.pg_db_role_setting as s
    cross join lateral pg_catalog.unnest(s.setconfig) as stored (setting)
    where s.setrole in (0, (select r.oid from pg_catalog.pg_roles as r where r.rolname = list_login_refusal_reasons.login))
        and s.setdatabase in (0, (select d.oid from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database()))
        and stored.setting !~* '^(statement_timeout|lock_timeout|transaction_timeout|idle_in_transaction_session_timeout|idle_session_timeout|tcp_[a-z_]+|work_mem|hash_mem_multiplier|maintenance_work_mem|temp_buffers|temp_file_limit|jit|jit_[a-z_]+|random_page_cost|seq_page_cost|effective_cache_size|effective_io_concurrency|enable_[a-z_]+|max_parallel_[a-z_]+|plan_cache_mode|log_[a-z_]+|auto_explain\.[a-z_]+|pg_stat_statements\.[a-z_]+|application_name|timezone|datestyle|quote_all_identifiers|client_connection_check_interval|synchronous_commit|default_transaction_read_only)='
    union all
    -- After a restore of the database without its roles, a login cannot become the request roles.
    select pg_catalog.format('the login %I cannot become %I: run db:migrate', list_login_refusal_reasons.login, wanted.name)
    from pg_catalog.jsonb_to_recordset('deploy.house_roles') as wanted (name name, purpose text)
    where wanted.purpose = 'request'
        and not exists (
            -- Only a direct membership of taxclaims_api in a request role counts, because the memberships between
            -- request roles do not allow SET ROLE.
            select
            from pg_catalog.pg_auth_members as m
            join pg_catalog.pg_roles as r on r.oid = m.roleid
            join pg_catalog.pg_roles as g on g.oid = m.member
            where r.rolname = wanted.name
                and g.rolname = 'taxclaims_api'
                and pg_catalog.pg_has_role(list_login_refusal_reasons.login, m.member, 'MEMBER')
        )
    union all
    -- After the deploy of an older release to another database of the same server, a role lacks the rights of the role
    -- that it extends.
    select pg_catalog.format('%I has not the rights of %I: run db:migrate', lesser.name, lesser.extends)
    from pg_catalog.jsonb_to_recordset('deploy.house_roles') as lesser (name name, extends name)
    where lesser.extends is not null
        and not exists (
            select
            from pg_catalog.pg_roles as r
            join pg_catalog.pg_roles as whose on whose.rolname = lesser.extends
            where r.rolname = lesser.name and pg_catalog.pg_has_role(r.oid, whose.oid, 'USAGE')
        );
end
$function$;
        $text$,
        '''deploy.house_roles''',
        pg_catalog.quote_literal(pg_catalog.current_setting('deploy.house_roles'))
    ), '''deploy.mark''', mark);
end
$objections$;

comment on function app.is_mark(oid) is
    'True for a role without login, attributes, memberships, rights and objects, with which a provider marks logins. For '
    'app.list_login_refusal_reasons and reporting.grant_client.';
grant execute on function app.is_mark(oid) to taxclaims_auditor, taxclaims_definer;

comment on function app.list_login_refusal_reasons(name) is
    'Returns the reasons why the service must not serve requests with this login: a forbidden power or setting, or a '
    'request role that the login cannot become.';
grant execute on function app.list_login_refusal_reasons(name) to taxclaims_api, taxclaims_auditor;
