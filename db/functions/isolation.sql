-- What speaks against serving tenants through a login: any power of the login beyond the one that it is made for, by itself
-- or as anybody it can become; a setting that its sessions begin with; or that it is not what a request needs. The list is
-- closed: a login has no attribute but LOGIN, is a member of taxclaims_api and of nothing else, and owns nothing. A few
-- catalog rows, and in plpgsql, which plans once for a session: cheap enough for a health check. GET /health asks it of the
-- login that serves, audit.findings of each login of the API.
-- The roles of the house stand in its text: auditors, who ask it too, may not look into schema app.
do $objections$
begin
    execute pg_catalog.replace(
        $text$
create or replace function app.login_objections(login name)
    returns setof text
    language plpgsql stable set search_path = ''
as $function$
begin
    return query
    with reach as (
        -- A superuser could become everybody, which says nothing more.
        select
            r.*,
            r.rolname = login_objections.login as is_login,
            h.purpose is not distinct from 'request' as is_request_role,
            h.extends
        from pg_catalog.pg_roles as r
        left join pg_catalog.jsonb_to_recordset('deploy.house_roles') as h (name name, purpose text, extends name)
            on h.name = r.rolname
        where r.rolname = login_objections.login
            or (
                pg_catalog.pg_has_role(login_objections.login, r.oid, 'MEMBER')
                and not (select s.rolsuper from pg_catalog.pg_roles as s where s.rolname = login_objections.login)
            )
    )
    select
        pg_catalog.format(
            'the login %I %s %s',
            login_objections.login,
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
    -- Inherited or not, and on Postgres 16 and newer with whatever options.
    select distinct
        pg_catalog.format(
            'the login %I %s a member of %I%s',
            login_objections.login,
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
        )
    union all
    select pg_catalog.format('the login %I has the rights of %I without becoming it', login_objections.login, r.rolname)
    from reach as r
    where r.is_request_role and pg_catalog.pg_has_role(login_objections.login, r.oid, 'USAGE')
    union all
    select pg_catalog.format('the login %I owns this database', login_objections.login)
    from reach as r
    where r.rolname = 'pg_database_owner'
    union all
    select
        pg_catalog.format(
            'the login %I owns %s objects of this database, such as %s',
            login_objections.login,
            pg_catalog.count(*),
            pg_catalog.min(pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid))
        )
    from pg_catalog.pg_shdepend as d
    join reach as r on r.oid = d.refobjid
    where d.refclassid = 'pg_catalog.pg_authid'::regclass
        and d.deptype = 'o'
        -- The audit asks as each request role, by a function of that role's own.
        and not (r.is_request_role and d.classid = 'pg_catalog.pg_proc'::regclass)
        and d.dbid = (select b.oid from pg_catalog.pg_database as b where b.datname = pg_catalog.current_database())
    having pg_catalog.count(*) > 0
    union all
    -- What a session of the service's begins with. The list is closed: these bound it, are written to the log, change how
    -- definitions are printed, or are set again by each transaction; of the last two the service speaks itself.
    select pg_catalog.format('the login %I begins with %s', login_objections.login, stored.setting)
    from pg_catalog.pg_db_role_setting as s
    cross join lateral pg_catalog.unnest(s.setconfig) as stored (setting)
    where s.setrole in (0, (select r.oid from pg_catalog.pg_roles as r where r.rolname = login_objections.login))
        and s.setdatabase in (0, (select d.oid from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database()))
        and stored.setting !~* '^(statement_timeout|lock_timeout|transaction_timeout|idle_in_transaction_session_timeout|idle_session_timeout|tcp_[a-z_]+|work_mem|hash_mem_multiplier|maintenance_work_mem|temp_buffers|temp_file_limit|jit|jit_[a-z_]+|random_page_cost|seq_page_cost|effective_cache_size|effective_io_concurrency|enable_[a-z_]+|max_parallel_[a-z_]+|plan_cache_mode|log_[a-z_]+|auto_explain\.[a-z_]+|pg_stat_statements\.[a-z_]+|application_name|timezone|datestyle|quote_all_identifiers|client_connection_check_interval|synchronous_commit|default_transaction_read_only)='
    union all
    -- As in a cluster into which a dump was restored without its roles.
    select pg_catalog.format('the login %I cannot become %I: run db:migrate', login_objections.login, wanted.name)
    from pg_catalog.jsonb_to_recordset('deploy.house_roles') as wanted (name name, purpose text)
    where wanted.purpose = 'request'
        and not exists (
            -- By a membership of the group's own: those by which rights nest let nobody become the lesser role.
            select
            from pg_catalog.pg_auth_members as m
            join pg_catalog.pg_roles as r on r.oid = m.roleid
            join pg_catalog.pg_roles as g on g.oid = m.member
            where r.rolname = wanted.name
                and g.rolname = 'taxclaims_api'
                and pg_catalog.pg_has_role(login_objections.login, m.member, 'MEMBER')
        )
    union all
    -- As where an older release was deployed into another database of the server since.
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
    );
end
$objections$;

comment on function app.login_objections(name) is
    'What speaks against serving tenants through a login: a power or a setting beyond those of a member of taxclaims_api, '
    'or a request role that it cannot become. Serves GET /health and audit.findings.';
grant execute on function app.login_objections(name) to taxclaims_api, taxclaims_auditor;
