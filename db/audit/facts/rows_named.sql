-- audit.described_catalog_rows names each object instead of showing its oid, so that a restored database gives the same
-- rows.
create function audit.described_catalog_rows()
    returns table (
        number bigint,
        catalog regclass,
        root oid,
        extension name,
        owner oid,
        acl_type "char",
        acl aclitem[],
        content jsonb,
        relkind "char",
        follows boolean,
        kind text,
        object text,
        month name
    )
    language sql stable rows 3000
    set jit = off
    set standard_conforming_strings = on
    set search_path = ''
as $body$
    with catalogs as materialized (
        select * from audit.catalogs() as listed
    ),
    -- The monthly partitions of the audit log change with time, so the declared state names no partition.
    months as materialized (
        select
            c.oid,
            c.relname as month,
            case c.relname
                when 'earlier' then bound.said ~ '^FOR VALUES FROM \(MINVALUE\) TO ' and bound.is_of_a_month
                when 'later' then bound.said ~ ' TO \(MAXVALUE\)$' and bound.is_of_a_month
                else bound.said = pg_catalog.format('FOR VALUES FROM (%L) TO (%L)', named.first, named.first + interval '1 month')
            end as is_bounded_by_its_name
        from pg_catalog.pg_inherits as i
        join pg_catalog.pg_class as c on c.oid = i.inhrelid
        -- The query finds audit_log.months in pg_class, because auditors may not use names in schema audit_log.
        join pg_catalog.pg_class as log on log.oid = i.inhparent
        cross join lateral (
            select
                told.said,
                told.moment = pg_catalog.date_trunc('month', told.moment) as is_of_a_month
            from (
                select
                    pg_catalog.pg_get_expr(c.relpartbound, 0) as said,
                    pg_catalog.substring(pg_catalog.pg_get_expr(c.relpartbound, 0), '\(''([^'']+)''\)')::timestamptz as moment
            ) as told
        ) as bound
        cross join lateral (
            select pg_catalog.to_timestamp(pg_catalog.right(c.relname::text, 7), 'YYYY_MM') as first
            where c.relname ~ '^month_[0-9]{4}_[0-9]{2}$'
            union all
            select null
            where c.relname in ('earlier', 'later')
        ) as named
        where log.relname = 'months'
            and log.relnamespace = c.relnamespace
            and c.relnamespace = pg_catalog.to_regnamespace('audit_log')
    ),
    of_months as materialized (
        select m.oid, m.month, m.is_bounded_by_its_name
        from months as m
        union all
        select i.indexrelid, m.month, false
        from months as m
        join pg_catalog.pg_index as i on i.indrelid = m.oid
    ),
    rows as (
        select r.*, c.relkind, m.month, m.is_bounded_by_its_name
        from audit.catalog_rows() as r
        left join pg_catalog.pg_class as c on c.oid = r.root and r.catalog in ('pg_catalog.pg_class'::regclass, 'pg_catalog.pg_attribute'::regclass)
        left join of_months as m on m.oid = (
            case r.catalog
                when 'pg_catalog.pg_class'::regclass then r.root::text
                when 'pg_catalog.pg_attribute'::regclass then r.root::text
                when 'pg_catalog.pg_inherits'::regclass then r.content ->> 'inhrelid'
                when 'pg_catalog.pg_constraint'::regclass then r.content ->> 'conrelid'
                when 'pg_catalog.pg_trigger'::regclass then r.content ->> 'tgrelid'
                when 'pg_catalog.pg_policy'::regclass then r.content ->> 'polrelid'
                when 'pg_catalog.pg_rewrite'::regclass then r.content ->> 'ev_class'
            end
        )::oid
    )
    select
        pg_catalog.row_number() over () as number,
        r.catalog,
        r.root,
        r.extension,
        r.owner,
        r.acl_type,
        r.acl,
        case
            when r.catalog = 'pg_catalog.pg_class'::regclass and r.is_bounded_by_its_name
                then r.content || '{"relpartbound": "as its name says"}'
            else r.content
        end as content,
        r.relkind,
        r.catalog = 'pg_catalog.pg_type'::regclass
            and (
                r.content ->> 'typrelid' <> '0' and r.content ->> 'typtype' = 'c'
                or r.content ->> 'typcategory' = 'A' and r.content ->> 'typelem' <> '0'
            ) as follows,
        case
            when r.catalog = 'pg_catalog.pg_class'::regclass then
                case r.relkind
                    when 'v' then 'view'
                    when 'm' then 'materialized view'
                    when 'f' then 'foreign table'
                    when 'S' then 'sequence'
                    when 'i' then
                        case
                            when (r.content ->> 'indisunique')::boolean
                                or (r.content ->> 'indisexclusion')::boolean
                                or not (r.content ->> 'indisvalid')::boolean
                                or not (r.content ->> 'indisready')::boolean
                                or not (r.content ->> 'indislive')::boolean
                                or r.content ->> 'indexprs' is not null
                                or r.content ->> 'indpred' is not null
                                or (r.content ->> 'relam')::oid >= 16384
                                or exists (
                                    select
                                    from pg_catalog.jsonb_array_elements_text(r.content -> 'indclass') as class
                                    where class::oid >= 16384
                                )
                                then 'index'
                            else 'plain index'
                        end
                    when 'I' then 'index'
                    when 'c' then 'composite type'
                    else 'table'
                end
            when r.catalog = 'pg_catalog.pg_rewrite'::regclass and r.content ->> 'rulename' = '_RETURN' then 'view body'
            -- ANALYZE runs the expressions of a statistics object, as it runs those of an index.
            when r.catalog = 'pg_catalog.pg_statistic_ext'::regclass and r.content ->> 'stxexprs' is null then 'plain statistics'
            else coalesce(l.kind, r.catalog::text)
        end as kind,
        case r.catalog
            when 'pg_catalog.pg_class'::regclass then
                case
                    -- Nothing refers to the name of such an index, so a DBA may rename it.
                    when r.relkind = 'i' and not (r.content ->> 'indisunique')::boolean and not (r.content ->> 'indisexclusion')::boolean
                        then pg_catalog.regexp_replace(
                            pg_catalog.pg_get_indexdef(r.root), '^CREATE INDEX (?:"(?:[^"]|"")+"|[^ ]+) ON (.*?)( WITH \([^)]*\))?( WHERE .*)?$', '\1\3'
                        )
                    else r.root::regclass::text
                end
            when 'pg_catalog.pg_attribute'::regclass then
                pg_catalog.format('%s.%I', r.root::regclass, r.content ->> 'attname')
            when 'pg_catalog.pg_inherits'::regclass then
                pg_catalog.format(
                    '%s of %s',
                    (r.content ->> 'inhrelid')::oid::regclass,
                    (r.content ->> 'inhparent')::oid::regclass
                )
            when 'pg_catalog.pg_constraint'::regclass then
                pg_catalog.format(
                    '%I on %s',
                    r.content ->> 'conname',
                    case r.content ->> 'conrelid'
                        when '0' then (r.content ->> 'contypid')::oid::regtype::text
                        else (r.content ->> 'conrelid')::oid::regclass::text
                    end
                )
            when 'pg_catalog.pg_trigger'::regclass then
                case
                    when (r.content ->> 'tgisinternal')::boolean then
                        pg_catalog.format(
                            '%s of %s on %s',
                            (r.content ->> 'tgfoid')::oid::regproc,
                            (
                                select pg_catalog.format('%I on %s', c.conname, c.conrelid::regclass)
                                from pg_catalog.pg_constraint as c
                                where c.oid = (r.content ->> 'tgconstraint')::oid
                            ),
                            (r.content ->> 'tgrelid')::oid::regclass
                        )
                    else pg_catalog.format('%I on %s', r.content ->> 'tgname', (r.content ->> 'tgrelid')::oid::regclass)
                end
            when 'pg_catalog.pg_rewrite'::regclass then
                case r.content ->> 'rulename'
                    when '_RETURN' then (r.content ->> 'ev_class')::oid::regclass::text
                    else pg_catalog.format('%I on %s', r.content ->> 'rulename', (r.content ->> 'ev_class')::oid::regclass)
                end
            when 'pg_catalog.pg_policy'::regclass then
                pg_catalog.format('%I on %s', r.content ->> 'polname', (r.content ->> 'polrelid')::oid::regclass)
            when 'pg_catalog.pg_proc'::regclass then r.oid::regprocedure::text
            when 'pg_catalog.pg_type'::regclass then r.oid::regtype::text
            when 'pg_catalog.pg_namespace'::regclass then r.content ->> 'nspname'
            when 'pg_catalog.pg_authid'::regclass then r.content ->> 'rolname'
            when 'pg_catalog.pg_auth_members'::regclass then
                pg_catalog.format(
                    '%s in %s',
                    pg_catalog.pg_get_userbyid((r.content ->> 'member')::oid),
                    pg_catalog.pg_get_userbyid((r.content ->> 'roleid')::oid)
                )
            when 'pg_catalog.pg_database'::regclass then 'this database'
            when 'pg_catalog.pg_extension'::regclass then r.content ->> 'extname'
            when 'pg_catalog.pg_publication_rel'::regclass then
                pg_catalog.format(
                    '%s in %s',
                    (r.content ->> 'prrelid')::oid::regclass,
                    (pg_catalog.pg_identify_object('pg_catalog.pg_publication'::regclass, (r.content ->> 'prpubid')::oid, 0)).identity
                )
            when 'pg_catalog.pg_user_mapping'::regclass then
                pg_catalog.format('%s on %s', r.content ->> 'usename', r.content ->> 'srvname')
            when 'pg_catalog.pg_default_acl'::regclass then
                pg_catalog.format(
                    '%s of %s in %s',
                    r.content ->> 'defaclobjtype',
                    pg_catalog.pg_get_userbyid((r.content ->> 'defaclrole')::oid),
                    case r.content ->> 'defaclnamespace'
                        when '0' then 'every schema'
                        else (r.content ->> 'defaclnamespace')::oid::regnamespace::text
                    end
                )
            when 'pg_catalog.pg_ts_config_map'::regclass then
                pg_catalog.format(
                    '%s %s of %s',
                    r.content ->> 'maptokentype',
                    r.content ->> 'mapseqno',
                    (r.content ->> 'mapcfg')::oid::regconfig
                )
            when 'pg_catalog.pg_seclabel'::regclass then
                pg_catalog.format(
                    '%s of %s',
                    r.content ->> 'provider',
                    (
                        pg_catalog.pg_identify_object(
                            (r.content ->> 'classoid')::oid,
                            (r.content ->> 'objoid')::oid,
                            (r.content ->> 'objsubid')::integer
                        )
                    ).identity
                )
            when 'pg_catalog.pg_shseclabel'::regclass then
                pg_catalog.format(
                    '%s of %s',
                    r.content ->> 'provider',
                    (pg_catalog.pg_identify_object((r.content ->> 'classoid')::oid, (r.content ->> 'objoid')::oid, 0)).identity
                )
            else (pg_catalog.pg_identify_object(r.catalog, r.oid, 0)).identity
        end as object,
        r.month
    from rows as r
    left join catalogs as l on l.catalog = r.catalog::text::name
$body$;

comment on function audit.described_catalog_rows() is
    'Catalog rows with the kind and name of their object, and for a partition of the audit log its month. For '
    'audit.state().';
