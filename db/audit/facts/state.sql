-- Everything that decides who may do what, one fact a line: what audit.drift compares with db/audit/declared. Each row of
-- audit.named_rows with all its columns but for those that audit.catalog_columns leaves out, so that a restored
-- database says the same; no OID, and nothing that depends on the language, the clock or the path of whoever asks.
create function audit.state()
    returns table (kind text, object text, definition text)
    language sql
    stable
    rows 3000
    set jit = off
    set bytea_output = hex
    set timezone = 'UTC'
    set search_path = ''
as $body$
    with columns as materialized (
        select * from audit.catalog_columns() as listed
    ),
    -- Which column holds an OID, or numbers of columns, and of what.
    keys as materialized (
        select distinct on (k.attribute)
            k.attribute,
            k.pktable,
            k.relation
        from (
            select
                f.fkcols[pg_catalog.array_upper(f.fkcols, 1)] as attribute,
                f.pktable,
                case when pg_catalog.array_length(f.fkcols, 1) = 2 then f.fkcols[1] end as relation
            from pg_catalog.pg_get_catalog_foreign_keys() as f
            union all
            select 'prattrs', 'pg_catalog.pg_attribute'::regclass, 'prrelid'
        ) as k
        order by k.attribute, k.relation
    ),
    named as materialized (
        select * from audit.named_rows() as n
    ),
    objects as (
        select * from named as n where not n.is_built_in
    ),
    written as (
        select
            case
                when o.kind = 'function' and e.key in ('prosrc', 'prosqlbody', 'probin') then 'function body'
                else o.kind
            end as kind,
            o.number,
            e.key,
            case
                when e.value = 'true' then e.key
                when k.attribute is null or o.catalog = 'pg_catalog.pg_user_mapping'::regclass then
                    e.key || ' ' || (e.value #>> '{}')
                when k.relation is not null then
                    e.key || ' '
                        || (
                            select
                                pg_catalog.string_agg(
                                    case m.member when '0' then 'expression' else a.attname end, ', ' order by m.place
                                )
                            from pg_catalog.jsonb_array_elements_text(
                                case pg_catalog.jsonb_typeof(e.value) when 'array' then e.value else pg_catalog.jsonb_build_array(e.value) end
                            ) with ordinality as m (member, place)
                            left join pg_catalog.pg_attribute as a
                                on a.attrelid = (o.content ->> k.relation)::oid and a.attnum = m.member::smallint
                        )
                else
                    e.key || ' '
                        || (
                            select
                                pg_catalog.string_agg(
                                    case
                                        -- regproc is printed by name already.
                                        when m.member !~ '^[0-9]+$' then m.member
                                        when k.pktable = 'pg_catalog.pg_authid'::regclass then
                                            case m.member
                                                when '0' then 'PUBLIC'
                                                when '10' then 'the first superuser'
                                                else pg_catalog.pg_get_userbyid(m.member::oid)::text
                                            end
                                        when m.member = '0' then 'none'
                                        when k.pktable = 'pg_catalog.pg_class'::regclass then m.member::oid::regclass::text
                                        when k.pktable = 'pg_catalog.pg_type'::regclass then m.member::oid::regtype::text
                                        when k.pktable = 'pg_catalog.pg_proc'::regclass then m.member::oid::regprocedure::text
                                        when k.pktable = 'pg_catalog.pg_operator'::regclass then m.member::oid::regoperator::text
                                        else (pg_catalog.pg_identify_object(k.pktable, m.member::oid, 0)).identity
                                    end,
                                    ', '
                                    order by
                                        -- The roles of a policy are a set.
                                        case k.attribute when 'polroles' then pg_catalog.pg_get_userbyid(m.member::oid)::text end collate "C",
                                        m.place
                                )
                            from pg_catalog.jsonb_array_elements_text(
                                case pg_catalog.jsonb_typeof(e.value) when 'array' then e.value else pg_catalog.jsonb_build_array(e.value) end
                            ) with ordinality as m (member, place)
                        )
            end as said
        from objects as o
        cross join lateral pg_catalog.jsonb_each(o.content) as e
        left join columns as c on c.attribute = e.key::name
        left join keys as k on k.attribute = e.key
        where (c.attribute is null or c.ordinary is not null)
            and e.value <> 'null'
            and case
                when c.ordinary is null then e.value not in ('false', '0', '"0"', '""', '"-"', '[]')
                else e.value #>> '{}' <> c.ordinary
            end
            and not o.follows
            and o.catalog <> 'pg_catalog.pg_default_acl'::regclass
    ),
    rights as (
        select
            o.extension,
            o.month,
            pg_catalog.format(
                '%s %s to %s',
                case o.acl_type
                    when 'f' then 'function'
                    when 'T' then 'type'
                    when 'n' then 'schema'
                    when 'd' then 'database'
                    when 'l' then 'language'
                    when 'F' then 'foreign data wrapper'
                    when 'S' then 'foreign server'
                    else
                        case o.relkind when 'v' then 'view' when 'm' then 'view' when 'S' then 'sequence' else 'table' end
                end,
                case o.acl_type when 'c' then (o.content ->> 'attrelid')::oid::regclass::text else o.object end,
                case x.grantee when 0 then 'PUBLIC' when 10 then 'the first superuser' else pg_catalog.pg_get_userbyid(x.grantee) end
            ) as object,
            x.privilege_type || case when x.is_grantable then ' WITH GRANT OPTION' else '' end as privilege,
            case o.acl_type when 'c' then o.content ->> 'attname' end as attribute,
            x.grantee = o.owner as by_ownership,
            o.acl is null
                or not exists (
                    select d.privilege_type
                    from pg_catalog.aclexplode(pg_catalog.acldefault(o.acl_type, o.owner)) as d
                    where d.grantee = o.owner
                    except
                    select h.privilege_type
                    from pg_catalog.aclexplode(o.acl) as h
                    where h.grantee = o.owner
                ) as owner_has_all
        from objects as o
        cross join lateral (
            select h.grantee, h.privilege_type, h.is_grantable
            from pg_catalog.aclexplode(coalesce(o.acl, pg_catalog.acldefault(o.acl_type, o.owner))) as h
            union all
            -- An owner from whom everything was taken.
            select o.owner, 'nothing', false
            where o.acl_type <> 'c'
                and not exists (select from pg_catalog.aclexplode(o.acl) as h where h.grantee = o.owner)
                and o.acl is not null
        ) as x
        where o.acl_type is not null
            -- Nothing but what was granted to single columns; and rights to arrays are those to their elements.
            and (o.acl_type <> 'c' or o.acl is not null)
            and (o.acl is not null or not o.follows)
            -- How a DBA of the deployment's connects, as audit.logins says whose that is.
            and not (
                o.acl_type = 'd'
                and x.privilege_type = 'CONNECT'
                and not x.is_grantable
                and coalesce(
                    (
                        select pg_catalog.bool_and(g.rolname = 'taxclaims_owner' and not m.admin_option)
                        from pg_catalog.pg_auth_members as m
                        join pg_catalog.pg_roles as g on g.oid = m.roleid
                        where m.member = x.grantee
                    ),
                    false
                )
            )
    ),
    facts as (
        select
            o.extension,
            o.month,
            coalesce(w.kind, o.kind) as kind,
            o.object,
            -- What has nothing but ordinary values is there all the same.
            coalesce(w.definition, '') as definition
        from objects as o
        left join (
            select
                written.number,
                written.kind,
                pg_catalog.string_agg(written.said, '; ' order by written.key collate "C") as definition
            from written
            group by written.number, written.kind
        ) as w on w.number = o.number
        where not o.follows and o.catalog <> 'pg_catalog.pg_default_acl'::regclass
        union all
        select
            g.extension,
            g.month,
            'grant',
            g.object,
            pg_catalog.string_agg(g.privileges, '; ' order by g.privileges collate "C")
        from (
            select
                r.extension,
                r.month,
                r.object,
                r.privilege
                    || coalesce(' (' || pg_catalog.string_agg(r.attribute, ', ' order by r.attribute collate "C") || ')', '')
                    as privileges
            from rights as r
            where not (r.by_ownership and r.owner_has_all)
            group by r.extension, r.month, r.object, r.privilege, r.attribute is null
        ) as g
        group by g.extension, g.month, g.object
        union all
        select
            o.extension,
            o.month,
            o.kind,
            o.object,
            coalesce(
                (
                    select
                        pg_catalog.string_agg(
                            pg_catalog.format(
                                '%s to %s%s',
                                x.privilege_type,
                                case x.grantee when 0 then 'PUBLIC' else pg_catalog.pg_get_userbyid(x.grantee) end,
                                case when x.is_grantable then ' WITH GRANT OPTION' end
                            ),
                            ', '
                            order by x.privilege_type, pg_catalog.pg_get_userbyid(x.grantee)::text collate "C"
                        )
                    from pg_catalog.pg_default_acl as d
                    cross join lateral pg_catalog.aclexplode(d.defaclacl) as x
                    where d.oid = (o.content ->> 'oid')::oid
                ),
                'nothing'
            )
        from objects as o
        where o.catalog = 'pg_catalog.pg_default_acl'::regclass
    ),
    built_in as (
        select
            r.catalog::text as object,
            case
                when r.root < 12000 then known.said::text
                -- Here initdb numbers as it comes, which differs between operating systems.
                else pg_catalog.regexp_replace(known.said::text, '"1[2-6][0-9]{3}"', '"initdb"', 'g')
            end as said
        from named as r
        cross join lateral (
            select
                r.content - (
                    select pg_catalog.array_agg(c.attribute::text)
                    from columns as c
                    where c.ordinary is null and c.explanation <> 'the object''s name has it'
                ) as said
        ) as known
        where r.is_built_in
    ),
    -- Rights to what initdb made, where they are not those that initdb gave.
    regranted as (
        select
            c.kind || ' ' || c.object || ' to '
                || case changed.grantee when 0 then 'PUBLIC' when 10 then 'the first superuser' else pg_catalog.pg_get_userbyid(changed.grantee) end
                as object,
            case when changed.is_given then '' else 'without ' end
                || changed.privilege_type
                || case when changed.is_grantable then ' WITH GRANT OPTION' else '' end
                as privilege
        from (
            select
                r.root,
                r.content,
                r.catalog,
                case r.acl_type when 'f' then 'function' when 'T' then 'type' when 'n' then 'schema' when 'l' then 'language' when 'c' then 'column' else 'table' end as kind,
                case r.acl_type
                    when 'f' then r.root::regprocedure::text
                    when 'T' then r.root::regtype::text
                    when 'c' then r.root::regclass || '.' || (r.content ->> 'attname')
                    when 'r' then r.root::regclass::text
                    else (pg_catalog.pg_identify_object(r.catalog, r.root, 0)).identity
                end as object,
                case
                    when r.acl_type <> 'c' or r.acl is not null then coalesce(r.acl, pg_catalog.acldefault(r.acl_type, r.owner))
                end as present,
                case
                    when r.acl_type <> 'c' or i.initprivs is not null then coalesce(i.initprivs, pg_catalog.acldefault(r.acl_type, r.owner))
                end as initial
            from named as r
            left join pg_catalog.pg_init_privs as i
                on i.objoid = r.root
                and i.classoid = case r.acl_type when 'c' then 'pg_catalog.pg_class'::regclass else r.catalog end
                and i.objsubid = case r.acl_type when 'c' then (r.content ->> 'attnum')::integer else 0 end
            where r.is_built_in and r.acl_type is not null
                and r.acl is distinct from i.initprivs
        ) as c
        cross join lateral (
            select true as is_given, given.*
            from (
                select x.grantee, x.privilege_type, x.is_grantable from pg_catalog.aclexplode(c.present) as x
                except
                select x.grantee, x.privilege_type, x.is_grantable from pg_catalog.aclexplode(c.initial) as x
            ) as given
            union all
            select false, taken.*
            from (
                select x.grantee, x.privilege_type, x.is_grantable from pg_catalog.aclexplode(c.initial) as x
                except
                select x.grantee, x.privilege_type, x.is_grantable from pg_catalog.aclexplode(c.present) as x
            ) as taken
        ) as changed
    ),
    settings as (
        select
            s.setrole,
            s.setdatabase,
            pg_catalog.split_part(one.setting, '=', 1) as name,
            one.setting
        from pg_catalog.pg_db_role_setting as s
        cross join lateral pg_catalog.unnest(s.setconfig) as one (setting)
        where s.setdatabase = 0
            or s.setdatabase = (select d.oid from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database())
    ),
    everything as (
        select f.kind, f.object, f.definition
        from facts as f
        where f.extension is null and f.kind <> 'extension' and f.month is null
        union all
        -- Of the months of the audit log one digest, as long as each is as the others: those of tomorrow change nothing.
        -- Which of them is another, audit.findings says.
        select
            'table',
            'each month of audit_log.months',
            pg_catalog.md5(pg_catalog.string_agg(of_one.said, '; ' order by of_one.said collate "C"))
        from (
            select
                f.month,
                pg_catalog.replace(f.kind || ' ' || f.object || ' ' || f.definition, f.month::text, 'month') as said
            from facts as f
            where f.month is not null
        ) as of_one
        group by of_one.month
        union all
        select
            'extension',
            o.object,
            coalesce((select f.definition || '; ' from facts as f where f.kind = 'extension' and f.object = o.object), '')
                || 'members '
                || coalesce(
                    (
                        select
                            pg_catalog.md5(
                                pg_catalog.string_agg(
                                    f.kind || ' ' || f.object || ' ' || f.definition,
                                    '; '
                                    order by f.kind collate "C", f.object collate "C", f.definition collate "C"
                                )
                            )
                        from facts as f
                        where f.extension = o.object::name
                    ),
                    'none'
                )
        from objects as o
        where o.kind = 'extension'
        union all
        select 'built-in', b.object, pg_catalog.md5(pg_catalog.string_agg(b.said, ';' order by b.said collate "C"))
        from built_in as b
        group by b.object
        union all
        select 'grant', r.object, pg_catalog.string_agg(r.privilege, '; ' order by r.privilege collate "C")
        from regranted as r
        group by r.object
        union all
        select 'superuser', r.rolname, 'may log in'
        from pg_catalog.pg_roles as r
        where r.rolsuper and r.rolcanlogin
        union all
        select
            'parameter grant',
            p.parname || ' to ' || case x.grantee when 0 then 'PUBLIC' else pg_catalog.pg_get_userbyid(x.grantee) end,
            pg_catalog.string_agg(
                x.privilege_type || case when x.is_grantable then ' WITH GRANT OPTION' else '' end, '; '
                order by x.privilege_type
            )
        from pg_catalog.pg_parameter_acl as p
        cross join lateral pg_catalog.aclexplode(p.paracl) as x
        where x.grantee <> 10
        group by p.parname, x.grantee
        union all
        select
            'setting',
            pg_catalog.format(
                '%s for %s%s',
                s.name,
                pg_catalog.pg_get_userbyid(s.setrole),
                case when s.setdatabase <> 0 then ' in this database' end
            ),
            s.setting
        from settings as s
        join named as r on r.catalog = 'pg_catalog.pg_authid'::regclass and r.root = s.setrole and not r.is_built_in
        union all
        -- Left out is what concerns speed and logging alone.
        select
            'database setting',
            s.name || case s.setdatabase when 0 then ' for every role' else ' for this database' end,
            s.setting
        from settings as s
        where s.setrole = 0
            and s.name not in (
                'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout',
                'transaction_timeout', 'work_mem', 'hash_mem_multiplier', 'maintenance_work_mem', 'temp_buffers',
                'effective_cache_size', 'effective_io_concurrency', 'random_page_cost', 'seq_page_cost',
                'default_statistics_target', 'max_parallel_workers_per_gather', 'max_parallel_workers',
                'max_parallel_maintenance_workers', 'jit', 'timezone', 'TimeZone', 'lc_messages', 'client_min_messages',
                'track_io_timing', 'track_functions', 'track_activities'
            )
            and s.name not like 'log\_%'
    )
    select e.kind, e.object, pg_catalog.string_agg(distinct e.definition, ' and ' order by e.definition)
    from everything as e
    group by e.kind, e.object
$body$;

comment on function audit.state() is
    'Everything that decides who may do what, one fact a row. What audit.drift compares.';

revoke execute on function audit.state() from public;
grant execute on function audit.state() to taxclaims_auditor;
