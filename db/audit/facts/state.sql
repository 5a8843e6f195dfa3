-- A fact contains the columns of a catalog row, with names instead of oids, except columns that audit.catalog_columns
-- lists. Facts do not depend on the session's language, clock or search_path.
create function audit.state()
    returns table (kind text, object text, definition text)
    language sql stable rows 3000
    set jit = off
    set standard_conforming_strings = on
    set search_path = ''
as $body$
    with left_out as materialized (
        select pg_catalog.array_agg(c.attribute::text) filter (where c.ordinary is null) as attributes
        from audit.catalog_columns() as c
    ),
    ordinary as materialized (
        select c.attribute, c.ordinary from audit.catalog_columns() as c where c.ordinary is not null
    ),
    -- The CTE `keys` lists catalog columns that contain an oid or column numbers, and the catalog to which they refer.
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
        select * from audit.described_catalog_rows() as n
    ),
    -- The column `schema` is null for objects that take effect from any schema: operators, SECURITY DEFINER functions,
    -- and foreign keys or inheritance with a table of this application.
    objects as materialized (
        select n.*, s.nspname as schema
        from named as n
        left join pg_catalog.pg_class as c
            on c.oid = case n.catalog
                when 'pg_catalog.pg_class'::regclass then n.root
                when 'pg_catalog.pg_attribute'::regclass then n.root
                when 'pg_catalog.pg_trigger'::regclass then (n.content ->> 'tgrelid')::oid
                when 'pg_catalog.pg_rewrite'::regclass then (n.content ->> 'ev_class')::oid
                when 'pg_catalog.pg_policy'::regclass then (n.content ->> 'polrelid')::oid
            end
        left join pg_catalog.pg_class as parent
            on n.catalog = 'pg_catalog.pg_constraint'::regclass and parent.oid = (n.content ->> 'confrelid')::oid
        left join pg_catalog.pg_namespace as s
            on s.oid = case n.catalog
                when 'pg_catalog.pg_namespace'::regclass then n.root
                when 'pg_catalog.pg_type'::regclass then (n.content ->> 'typnamespace')::oid
                when 'pg_catalog.pg_statistic_ext'::regclass then (n.content ->> 'stxnamespace')::oid
                when 'pg_catalog.pg_proc'::regclass
                    then case when not (n.content ->> 'prosecdef')::boolean then (n.content ->> 'pronamespace')::oid end
                when 'pg_catalog.pg_constraint'::regclass
                    then case when coalesce(parent.relnamespace::text, n.content ->> 'connamespace') = n.content ->> 'connamespace' then (n.content ->> 'connamespace')::oid end
                else c.relnamespace
            end
        -- The audit finding published_table, not audit.state(), reports publications with tables of this application.
        where not exists (
            select
            from pg_catalog.pg_publication as p
            join pg_catalog.pg_publication_tables as t on t.pubname = p.pubname
            where t.schemaname in ('public', 'app', 'reporting', 'audit', 'audit_log')
                and p.oid = case n.catalog
                    when 'pg_catalog.pg_publication'::regclass then n.root
                    when 'pg_catalog.pg_publication_rel'::regclass then (n.content ->> 'prpubid')::oid
                    when 'pg_catalog.pg_publication_namespace'::regclass then (n.content ->> 'pnpubid')::oid
                end
        )
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
                                        -- The JSON of a catalog row already contains the name of a regproc instead of
                                        -- its oid.
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
                                        case k.attribute when 'polroles' then pg_catalog.pg_get_userbyid(m.member::oid)::text end collate "C",
                                        m.place
                                )
                            from pg_catalog.jsonb_array_elements_text(
                                case pg_catalog.jsonb_typeof(e.value) when 'array' then e.value else pg_catalog.jsonb_build_array(e.value) end
                            ) with ordinality as m (member, place)
                        )
            end as said
        from objects as o
        cross join left_out
        cross join lateral pg_catalog.jsonb_each(pg_catalog.jsonb_strip_nulls(o.content) - left_out.attributes) as e
        left join ordinary as c on c.attribute = e.key::name
        left join keys as k on k.attribute = e.key
        where case
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
            o.schema,
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
            -- An owner whose own rights were revoked gets a row with the right `nothing`.
            select o.owner, 'nothing', false
            where o.acl_type <> 'c'
                and not exists (select from pg_catalog.aclexplode(o.acl) as h where h.grantee = o.owner)
                and o.acl is not null
        ) as x
        where o.acl_type is not null
            -- A column has a fact only if rights to it were granted explicitly. An array type has the rights of its
            -- element type.
            and (o.acl_type <> 'c' or o.acl is not null)
            and (o.acl is not null or not o.follows)
            -- audit.state() leaves out the rights that the audit findings rights_outside_house and create_or_temp
            -- report. audit.state() keeps rights to SECURITY DEFINER functions, whose `schema` is null.
            and not coalesce((
                (o.catalog = 'pg_catalog.pg_database'::regclass or o.schema in ('public', 'app', 'reporting', 'audit'))
                and o.extension is null
                and o.acl_type <> 'T'
                and x.grantee not in (0, o.owner)
                and x.grantee not in (select r.root from named as r where r.catalog = 'pg_catalog.pg_authid'::regclass)
                or (o.catalog = 'pg_catalog.pg_database'::regclass or o.catalog = 'pg_catalog.pg_namespace'::regclass and o.schema in ('public', 'app', 'reporting', 'audit'))
                and x.privilege_type in ('CREATE', 'TEMPORARY')
                and x.grantee <> o.owner
                and not (x.privilege_type = 'CREATE' and pg_catalog.pg_get_userbyid(x.grantee) = 'taxclaims_owner')
            ), false)
    ),
    facts as (
        select
            o.extension,
            o.month,
            o.schema,
            coalesce(w.kind, o.kind) as kind,
            o.object,
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
            g.schema,
            'grant',
            g.object,
            pg_catalog.string_agg(g.privileges, '; ' order by g.privileges collate "C")
        from (
            select
                r.extension,
                r.month,
                r.schema,
                r.object,
                r.privilege
                    || coalesce(' (' || pg_catalog.string_agg(r.attribute, ', ' order by r.attribute collate "C") || ')', '')
                    as privileges
            from rights as r
            where not (r.by_ownership and r.owner_has_all)
            group by r.extension, r.month, r.schema, r.object, r.privilege, r.attribute is null
        ) as g
        group by g.extension, g.month, g.schema, g.object
        union all
        select
            o.extension,
            o.month,
            null,
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
        where f.extension is null
            and f.kind <> 'extension'
            and f.month is null
            and (f.schema is null or f.schema in ('public', 'app', 'reporting', 'audit', 'audit_log', 'pg_catalog', 'information_schema'))
        union all
        -- Each schema outside this application has one fact, made of the schema's objects that use the application, the
        -- rights to these objects, and a digest. Audit findings report who reaches rows of the application through
        -- another schema.
        select
            'schema',
            f.schema::text,
            pg_catalog.concat_ws(
                '; ',
                'holds ' || pg_catalog.string_agg(f.kind || ' ' || f.object, ', ' order by f.kind collate "C", f.object collate "C")
                    filter (where f.kind in ('table', 'view', 'materialized view', 'foreign table', 'sequence', 'function', 'type')),
                pg_catalog.string_agg(f.object || ': ' || f.definition, '; ' order by f.object collate "C") filter (where f.kind = 'grant'),
                'all of it '
                    || pg_catalog.md5(
                        pg_catalog.string_agg(
                            f.kind || ' ' || f.object || ' ' || f.definition,
                            '; '
                            order by f.kind collate "C", f.object collate "C", f.definition collate "C"
                        )
                    )
            )
        from facts as f
        where f.extension is null
            and f.month is null
            and f.schema not in ('public', 'app', 'reporting', 'audit', 'audit_log', 'pg_catalog', 'information_schema')
        group by f.schema
        union all
        -- Monthly partitions of the audit log that are alike have the same digest. The audit finding
        -- audit_month_differs names a partition that differs.
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
        -- The audit finding extension_not_known reports unknown extensions.
        join audit.known_extensions() as known on known.name = o.object
        where o.kind = 'extension'
        union all
        select b.kind, b.object, b.definition from audit.describe_built_in_objects() as b
        union all
        select 'row', r.object, r.definition
        from audit.rule_rows as r
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
        join named as r on r.catalog = 'pg_catalog.pg_authid'::regclass and r.root = s.setrole
        union all
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
                'track_io_timing', 'track_functions', 'track_activities', 'DateStyle', 'IntervalStyle', 'bytea_output',
                'extra_float_digits', 'quote_all_identifiers'
            )
            and s.name not like 'log\_%'
    )
    select e.kind, e.object, pg_catalog.string_agg(distinct e.definition, ' and ' order by e.definition)
    from everything as e
    group by e.kind, e.object
$body$;

comment on function audit.state() is
    'Roles, rights, policies and other facts that decide who may do what, one per row. audit.drift compares these '
    'facts.';
