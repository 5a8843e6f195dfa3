-- audit.catalog_rows returns the catalog rows of this application's objects, of objects that depend on them, and of
-- objects that affect the whole database. Each row is JSON with all columns, so that columns of later Postgres releases
-- are included. audit.describe_built_in_objects covers the rows that initdb made.
create function audit.catalog_rows()
    returns table (
        catalog regclass,
        oid oid,
        root oid,
        extension name,
        owner oid,
        acl_type "char",
        acl aclitem[],
        content jsonb
    )
    language sql stable rows 3000
    set jit = off
    set standard_conforming_strings = on
    set search_path = ''
as $body$
    with recursive house as materialized (
        select n.oid
        from pg_catalog.pg_namespace as n
        where n.nspname in ('public', 'app', 'reporting', 'audit', 'audit_log')
    ),
    house_roles as materialized (
        select h.oid from audit.house_roles as h
    ),
    -- outside lists the views and SECURITY DEFINER functions of others, which the audit finding outside_within_reach reports.
    outside (classid, objid) as materialized (
        select 'pg_catalog.pg_class'::regclass::oid, c.oid
        from pg_catalog.pg_class as c
        where c.relkind in ('v', 'm')
            and c.relnamespace not in (select house.oid from house)
            and c.relowner not in (select r.oid from house_roles as r)
        union all
        select 'pg_catalog.pg_proc'::regclass, f.oid
        from pg_catalog.pg_proc as f
        where f.prosecdef
            and f.pronamespace not in (select house.oid from house)
            and f.proowner not in (select r.oid from house_roles as r)
    ),
    -- schema_objects lists this application's objects without pg_depend, because a superuser can forge pg_depend.
    schema_objects (classid, objid) as (
        select 'pg_catalog.pg_namespace'::regclass::oid, house.oid from house
        union all
        select 'pg_catalog.pg_class'::regclass, c.oid from pg_catalog.pg_class as c where c.relnamespace in (select house.oid from house)
        union all
        select 'pg_catalog.pg_proc'::regclass, f.oid from pg_catalog.pg_proc as f where f.pronamespace in (select house.oid from house)
        union all
        select 'pg_catalog.pg_type'::regclass, t.oid from pg_catalog.pg_type as t where t.typnamespace in (select house.oid from house)
        union all
        -- schema_objects also lists rules of tables outside this application that name a table of this application.
        select 'pg_catalog.pg_rewrite'::regclass, w.oid
        from pg_catalog.pg_rewrite as w
        join pg_catalog.pg_class as c on c.oid = w.ev_class and c.oid >= 16384
        where c.relnamespace not in (select house.oid from house)
            and c.oid not in (select o.objid from outside as o where o.classid = 'pg_catalog.pg_class'::regclass)
            and exists (
                select
                from pg_catalog.regexp_matches(w.ev_action::text, ':relid (\d+)', 'g') as named (relation)
                join pg_catalog.pg_class as r on r.oid = named.relation[1]::oid
                where r.relnamespace in (select house.oid from house)
            )
    ),
    -- The CTE `dependents` lists objects that depend, directly or not, on objects in this application's schemas.
    dependents (classid, objid) as (
        select s.classid, s.objid from schema_objects as s
        union
        select further.classid, further.objid
        from dependents as h
        cross join lateral (
            select d.classid, d.objid
            from pg_catalog.pg_depend as d
            where d.refclassid = h.classid and d.refobjid = h.objid
            union all
            select 'pg_catalog.pg_class'::regclass, w.ev_class
            from pg_catalog.pg_rewrite as w
            where h.classid = 'pg_catalog.pg_rewrite'::regclass and w.oid = h.objid
            union all
            select 'pg_catalog.pg_class'::regclass, a.adrelid
            from pg_catalog.pg_attrdef as a
            where h.classid = 'pg_catalog.pg_attrdef'::regclass and a.oid = h.objid
        ) as further
        left join pg_catalog.pg_class as c
            on further.classid = 'pg_catalog.pg_class'::regclass and c.oid = further.objid
        left join pg_catalog.pg_rewrite as w
            on further.classid = 'pg_catalog.pg_rewrite'::regclass and w.oid = further.objid
        where c.relkind is distinct from 't'
            and (further.classid, further.objid) not in (select o.classid, o.objid from outside as o)
            and coalesce(w.ev_class not in (select o.objid from outside as o where o.classid = 'pg_catalog.pg_class'::regclass), true)
    ),
    extension_members as materialized (
        select * from audit.extension_members() as b
    ),
    -- harmless_extensions lists known extensions that nobody added an object to, and that are in no schema of Postgres
    -- or of this application.
    harmless_extensions as (
        select e.oid
        from pg_catalog.pg_extension as e
        join audit.known_extensions() as known on known.name = e.extname
        where e.extnamespace not in (select house.oid from house)
            and e.extnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
            and not exists (
                select d.classid, d.objid
                from pg_catalog.pg_depend as d
                where d.refclassid = 'pg_catalog.pg_extension'::regclass and d.refobjid = e.oid and d.deptype = 'e'
                except
                select b.classid, b.objid
                from extension_members as b
            )
    ),
    -- user_objects lists the objects (oid 16384 and above) that somebody added to the schemas or tables of Postgres.
    user_objects (classid, objid) as (
        select 'pg_catalog.pg_class'::regclass::oid, c.oid
        from pg_catalog.pg_class as c
        left join pg_catalog.pg_index as i on i.indexrelid = c.oid
        where c.oid >= 16384
            and (
                c.relnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
                or i.indrelid < 16384
            )
        union all
        select 'pg_catalog.pg_proc'::regclass, f.oid
        from pg_catalog.pg_proc as f
        where f.oid >= 16384
            and (
                f.pronamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
                or f.prokind = 'a'
            )
        union all
        select 'pg_catalog.pg_type'::regclass, t.oid
        from pg_catalog.pg_type as t
        where t.oid >= 16384
            and t.typnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
        union all
        select 'pg_catalog.pg_policy'::regclass, p.oid from pg_catalog.pg_policy as p where p.polrelid < 16384
        union all
        select 'pg_catalog.pg_rewrite'::regclass, w.oid
        from pg_catalog.pg_rewrite as w
        where w.ev_class < 16384 and w.oid >= 16384
        union all
        select 'pg_catalog.pg_trigger'::regclass, t.oid from pg_catalog.pg_trigger as t where t.tgrelid < 16384
        union all
        select 'pg_catalog.pg_constraint'::regclass, c.oid
        from pg_catalog.pg_constraint as c
        where c.oid >= 16384 and c.conrelid between 1 and 16383
        union all
        select 'pg_catalog.pg_class'::regclass, i.inhrelid from pg_catalog.pg_inherits as i where i.inhparent < 16384
    ),
    compared_objects (classid, objid) as materialized (
        select h.classid, h.objid from dependents as h
        union
        select bound.classid, bound.objid
        from (
            select 'pg_catalog.pg_trigger'::regclass, t.oid, t.tgrelid from pg_catalog.pg_trigger as t
            union all
            select 'pg_catalog.pg_policy'::regclass, p.oid, p.polrelid from pg_catalog.pg_policy as p
            union all
            select 'pg_catalog.pg_rewrite'::regclass, w.oid, w.ev_class from pg_catalog.pg_rewrite as w
            union all
            select 'pg_catalog.pg_constraint'::regclass, c.oid, c.conrelid from pg_catalog.pg_constraint as c
            union all
            select 'pg_catalog.pg_constraint'::regclass, c.oid, c.confrelid from pg_catalog.pg_constraint as c
        ) as bound (classid, objid, relation)
        join schema_objects as s on s.classid = 'pg_catalog.pg_class'::regclass and s.objid = bound.relation
        union
        select held.classid, held.objid
        from (
            select 'pg_catalog.pg_class'::regclass, c.oid, c.relowner from pg_catalog.pg_class as c where c.relkind <> 't'
            union all
            select 'pg_catalog.pg_proc'::regclass, f.oid, f.proowner from pg_catalog.pg_proc as f
            union all
            select 'pg_catalog.pg_namespace'::regclass, n.oid, n.nspowner from pg_catalog.pg_namespace as n
        ) as held (classid, objid, owner)
        where held.objid >= 16384 and held.owner in (select r.oid from house_roles as r)
        union
        select m.classid, m.objid
        from user_objects as m
        where not exists (
            select
            from extension_members as b
            join harmless_extensions on harmless_extensions.oid = b.extension
            where b.classid = m.classid and b.objid = m.objid
        )
        union
        select b.classid, b.objid
        from extension_members as b
        where b.extension not in (select harmless_extensions.oid from harmless_extensions)
        union
        select 'pg_catalog.pg_extension'::regclass, e.oid
        from pg_catalog.pg_extension as e
        where e.oid not in (select harmless_extensions.oid from harmless_extensions)
        union
        select 'pg_catalog.pg_default_acl'::regclass, d.oid
        from pg_catalog.pg_default_acl as d
        where d.defaclnamespace = 0 or d.defaclnamespace in (select house.oid from house)
        union
        select 'pg_catalog.pg_authid'::regclass, r.oid
        from house_roles as r
        union
        select d.classid, d.objid
        from house_roles as r
        join pg_catalog.pg_shdepend as d on d.refclassid = 'pg_catalog.pg_authid'::regclass and d.refobjid = r.oid
        join pg_catalog.pg_database as b on b.oid = d.dbid and b.datname = pg_catalog.current_database()
        -- audit.describe_built_in_objects returns the rights to objects that initdb made, and audit findings report rights
        -- to objects outside this application.
        where d.objid >= 16384 and d.deptype <> 'a'
    ),
    relations as materialized (
        select c.oid
        from pg_catalog.pg_class as c
        where c.oid in (select j.objid from compared_objects as j where j.classid = 'pg_catalog.pg_class'::regclass)
    ),
    found (catalog, oid, root_class, root, owner, acl_type, acl, content) as (
        select
            'pg_catalog.pg_class'::regclass,
            c.oid,
            'pg_catalog.pg_class'::regclass,
            c.oid,
            c.relowner,
            (case c.relkind when 'S' then 's' else 'r' end)::"char",
            c.relacl,
            pg_catalog.to_jsonb(c)
                || pg_catalog.jsonb_build_object(
                    'relpartbound', pg_catalog.pg_get_expr(c.relpartbound, c.oid),
                    -- Postgres ignores a table's triggers, checks, rules, indexes or child tables if a column of
                    -- pg_class, such as relhastriggers, says that there are none.
                    'unheeded',
                    pg_catalog.concat_ws(
                        ' ',
                        case when not c.relhastriggers and exists (select from pg_catalog.pg_trigger as t where t.tgrelid = c.oid) then 'triggers' end,
                        case when c.relchecks < (select pg_catalog.count(*) from pg_catalog.pg_constraint as k where k.conrelid = c.oid and k.contype = 'c') then 'checks' end,
                        case when not c.relhasrules and exists (select from pg_catalog.pg_rewrite as w where w.ev_class = c.oid) then 'rules' end,
                        case when not c.relhasindex and exists (select from pg_catalog.pg_index as x where x.indrelid = c.oid) then 'indexes' end,
                        case when not c.relhassubclass and exists (select from pg_catalog.pg_inherits as h where h.inhparent = c.oid) then 'children' end
                    ),
                    'reloptions',
                    (
                        select pg_catalog.to_jsonb(pg_catalog.array_agg(option order by option))
                        from pg_catalog.unnest(c.reloptions) as option
                        where option !~ '^(fillfactor|autovacuum_[a-z_]+|vacuum_[a-z_]+|log_autovacuum_[a-z_]+|parallel_workers|toast_tuple_target|toast\..+)='
                    )
                )
                || coalesce(
                    pg_catalog.to_jsonb(i)
                        || pg_catalog.jsonb_build_object(
                            'indexprs', pg_catalog.pg_get_expr(i.indexprs, i.indrelid),
                            'indpred', pg_catalog.pg_get_expr(i.indpred, i.indrelid)
                        ),
                    '{}'
                )
                || coalesce(
                    pg_catalog.to_jsonb(p)
                        || pg_catalog.jsonb_build_object(
                            'partexprs', pg_catalog.pg_get_expr(p.partexprs, p.partrelid)
                        ),
                    '{}'
                )
                || coalesce(pg_catalog.to_jsonb(s), '{}')
                || case
                    when c.relkind = 'S' then pg_catalog.jsonb_build_object(
                        'owned_by',
                        (
                            select pg_catalog.format('%s.%I', a.attrelid::regclass, a.attname)
                            from pg_catalog.pg_depend as d
                            join pg_catalog.pg_attribute as a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
                            where d.classid = 'pg_catalog.pg_class'::regclass
                                and d.objid = c.oid
                                and d.refclassid = 'pg_catalog.pg_class'::regclass
                                and d.deptype in ('a', 'i')
                        )
                    )
                    else '{}'
                end
                || coalesce(pg_catalog.to_jsonb(f), '{}')
        from pg_catalog.pg_class as c
        left join pg_catalog.pg_index as i on i.indexrelid = c.oid
        left join pg_catalog.pg_partitioned_table as p on p.partrelid = c.oid
        left join pg_catalog.pg_sequence as s on s.seqrelid = c.oid
        left join pg_catalog.pg_foreign_table as f on f.ftrelid = c.oid
        where c.relnamespace <> 'pg_toast'::regnamespace and c.oid in (select r.oid from relations as r)
        union all
        select
            'pg_catalog.pg_attribute'::regclass, null, 'pg_catalog.pg_class'::regclass, a.attrelid, c.relowner, 'c', a.attacl,
            pg_catalog.to_jsonb(a) - '{attacl,attmissingval}'::text[]
                || coalesce(
                    pg_catalog.to_jsonb(d)
                        || pg_catalog.jsonb_build_object('adbin', pg_catalog.pg_get_expr(d.adbin, d.adrelid)),
                    '{}'
                )
        from pg_catalog.pg_attribute as a
        join pg_catalog.pg_class as c on c.oid = a.attrelid and c.relkind not in ('i', 'I', 'S', 't')
        left join pg_catalog.pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attnum > 0 and not a.attisdropped and a.attrelid in (select r.oid from relations as r)
        union all
        select
            'pg_catalog.pg_inherits'::regclass, null, 'pg_catalog.pg_class'::regclass,
            case when i.inhparent in (select r.oid from relations as r) then i.inhparent else i.inhrelid end,
            null, null, null, pg_catalog.to_jsonb(i)
        from pg_catalog.pg_inherits as i
        union all
        select
            'pg_catalog.pg_constraint'::regclass, c.oid, 'pg_catalog.pg_constraint'::regclass, c.oid, null, null, null,
            pg_catalog.to_jsonb(c)
                || pg_catalog.jsonb_build_object('conbin', pg_catalog.pg_get_expr(c.conbin, c.conrelid))
        from pg_catalog.pg_constraint as c
        where c.contype <> 'n' or not c.convalidated
        union all
        select
            'pg_catalog.pg_trigger'::regclass, t.oid, 'pg_catalog.pg_trigger'::regclass, t.oid, null, null, null,
            pg_catalog.to_jsonb(t)
                || pg_catalog.jsonb_build_object(
                    'tgqual',
                    case when t.tgqual is not null then pg_catalog.pg_get_triggerdef(t.oid) end
                )
        from pg_catalog.pg_trigger as t
        union all
        -- The query replaces pg_rewrite.ev_action, which is long, by a digest of the rule as Postgres prints it.
        select
            'pg_catalog.pg_rewrite'::regclass, w.oid, 'pg_catalog.pg_rewrite'::regclass, w.oid, null, null, null,
            pg_catalog.jsonb_build_object(
                'oid', w.oid,
                'rulename', w.rulename,
                'ev_class', w.ev_class,
                'ev_type', w.ev_type,
                'ev_enabled', w.ev_enabled,
                'is_instead', w.is_instead,
                'ev_action',
                pg_catalog.md5(
                    pg_catalog.regexp_replace(
                        case
                            when w.rulename = '_RETURN' then pg_catalog.pg_get_viewdef(w.ev_class)
                            else pg_catalog.pg_get_ruledef(w.oid)
                        end,
                        -- After a dump and restore Postgres prints the alias of a cast in another form, so the digest
                        -- of the rule ignores the alias.
                        '::(text|name|oid|uuid|date|jsonb|inet|numeric)(\[\])? AS "?\1"?(?=,?\n|$)',
                        '::\1\2',
                        'g'
                    )
                )
            )
        from pg_catalog.pg_rewrite as w
        where w.ev_class in (select r.oid from relations as r)
        union all
        select
            'pg_catalog.pg_policy'::regclass, p.oid, 'pg_catalog.pg_policy'::regclass, p.oid, null, null, null,
            pg_catalog.to_jsonb(p)
                || pg_catalog.jsonb_build_object(
                    'polqual', pg_catalog.pg_get_expr(p.polqual, p.polrelid),
                    'polwithcheck', pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid)
                )
        from pg_catalog.pg_policy as p
        union all
        select
            'pg_catalog.pg_proc'::regclass, f.oid, 'pg_catalog.pg_proc'::regclass, f.oid, f.proowner, 'f', f.proacl,
            pg_catalog.to_jsonb(f)
                || pg_catalog.jsonb_build_object(
                    'prosrc', pg_catalog.md5(f.prosrc),
                    'prosqlbody',
                    pg_catalog.md5(
                        pg_catalog.regexp_replace(
                            pg_catalog.regexp_replace(
                                pg_catalog.pg_get_function_sqlbody(f.oid),
                                '::(text|name|oid|uuid|date|jsonb|inet|numeric)(\[\])? AS "?\1"?(?=,?\n|$)',
                                '::\1\2',
                                'g'
                            ),
                            -- Minor releases since 15.20 print `as` before the alias of the table that is written.
                            '\m((?:UPDATE|DELETE FROM|MERGE INTO) (?:ONLY )?\S+) AS ',
                            '\1 ',
                            'g'
                        )
                    ),
                    'proargdefaults', pg_catalog.pg_get_expr(f.proargdefaults, 0)
                )
                || coalesce(pg_catalog.to_jsonb(a), '{}')
        from pg_catalog.pg_proc as f
        left join pg_catalog.pg_aggregate as a on a.aggfnoid = f.oid
        where f.oid in (select j.objid from compared_objects as j where j.classid = 'pg_catalog.pg_proc'::regclass)
        union all
        select
            'pg_catalog.pg_type'::regclass, t.oid, 'pg_catalog.pg_type'::regclass, t.oid, t.typowner, 'T', t.typacl,
            pg_catalog.to_jsonb(t)
                || pg_catalog.jsonb_build_object(
                    'typdefaultbin', pg_catalog.pg_get_expr(t.typdefaultbin, 0),
                    'labels',
                    (
                        select pg_catalog.string_agg(pg_catalog.quote_literal(e.enumlabel), ', ' order by e.enumsortorder)
                        from pg_catalog.pg_enum as e
                        where e.enumtypid = t.oid
                    )
                )
                || coalesce(pg_catalog.to_jsonb(r), '{}')
        from pg_catalog.pg_type as t
        left join pg_catalog.pg_range as r on r.rngtypid = t.oid
        where t.oid in (select j.objid from compared_objects as j where j.classid = 'pg_catalog.pg_type'::regclass)
        union all
        select
            'pg_catalog.pg_statistic_ext'::regclass, s.oid, 'pg_catalog.pg_statistic_ext'::regclass, s.oid, null, null, null,
            pg_catalog.to_jsonb(s)
                || pg_catalog.jsonb_build_object(
                    'stxexprs', pg_catalog.to_jsonb(pg_catalog.pg_get_statisticsobjdef_expressions(s.oid))
                )
        from pg_catalog.pg_statistic_ext as s
        union all
        select
            'pg_catalog.pg_publication_rel'::regclass, p.oid, 'pg_catalog.pg_publication_rel'::regclass, p.oid, null, null, null,
            pg_catalog.to_jsonb(p)
                || pg_catalog.jsonb_build_object('prqual', pg_catalog.pg_get_expr(p.prqual, p.prrelid))
        from pg_catalog.pg_publication_rel as p
        union all
        -- The query names single columns of pg_subscription, because only superusers may read the column subconninfo.
        select
            'pg_catalog.pg_subscription'::regclass, s.oid, 'pg_catalog.pg_subscription'::regclass, s.oid, null, null, null,
            pg_catalog.jsonb_build_object(
                'oid', s.oid,
                'subdbid', s.subdbid,
                'subname', s.subname,
                'subowner', s.subowner,
                'subenabled', s.subenabled,
                'subbinary', s.subbinary,
                'substream', s.substream,
                'subdisableonerr', s.subdisableonerr,
                'subslotname', s.subslotname,
                'subsynccommit', s.subsynccommit,
                'subpublications', s.subpublications
            )
        from pg_catalog.pg_subscription as s
        join pg_catalog.pg_database as d on d.oid = s.subdbid and d.datname = pg_catalog.current_database()
        union all
        select
            'pg_catalog.pg_user_mapping'::regclass, m.umid, 'pg_catalog.pg_user_mapping'::regclass, m.umid, null, null, null,
            pg_catalog.to_jsonb(m)
        from pg_catalog.pg_user_mappings as m
        union all
        select
            'pg_catalog.pg_authid'::regclass, r.oid, 'pg_catalog.pg_authid'::regclass, r.oid, null, null, null,
            pg_catalog.to_jsonb(r)
        from pg_catalog.pg_roles as r
        union all
        select
            'pg_catalog.pg_auth_members'::regclass, null, 'pg_catalog.pg_authid'::regclass, m.member, null, null, null,
            pg_catalog.to_jsonb(m)
        from pg_catalog.pg_auth_members as m
        union all
        select
            'pg_catalog.pg_ts_config_map'::regclass, null, 'pg_catalog.pg_ts_config'::regclass, m.mapcfg, null, null, null,
            pg_catalog.to_jsonb(m)
        from pg_catalog.pg_ts_config_map as m
        union all
        select
            'pg_catalog.pg_seclabel'::regclass, null, l.classoid, l.objoid, null, null, null, pg_catalog.to_jsonb(l)
        from pg_catalog.pg_seclabel as l
        union all
        select
            'pg_catalog.pg_shseclabel'::regclass, null, l.classoid, l.objoid, null, null, null, pg_catalog.to_jsonb(l)
        from pg_catalog.pg_shseclabel as l
        union all
        select
            whole.catalog, whole.oid, whole.catalog, whole.oid, whole.owner, whole.acl_type, whole.acl, whole.content
        from (
            select 'pg_catalog.pg_am'::regclass, a.oid, null::oid, null::"char", null::aclitem[], pg_catalog.to_jsonb(a) from pg_catalog.pg_am as a
            union all
            select 'pg_catalog.pg_amop'::regclass, a.oid, null, null, null, pg_catalog.to_jsonb(a) from pg_catalog.pg_amop as a
            union all
            select 'pg_catalog.pg_amproc'::regclass, a.oid, null, null, null, pg_catalog.to_jsonb(a) from pg_catalog.pg_amproc as a
            union all
            select 'pg_catalog.pg_cast'::regclass, c.oid, null, null, null, pg_catalog.to_jsonb(c) from pg_catalog.pg_cast as c
            union all
            select 'pg_catalog.pg_collation'::regclass, c.oid, null, null, null, pg_catalog.to_jsonb(c) from pg_catalog.pg_collation as c
            union all
            select 'pg_catalog.pg_conversion'::regclass, c.oid, null, null, null, pg_catalog.to_jsonb(c) from pg_catalog.pg_conversion as c
            union all
            select 'pg_catalog.pg_database'::regclass, d.oid, d.datdba, 'd', d.datacl, pg_catalog.to_jsonb(d) from pg_catalog.pg_database as d
            where d.datname = pg_catalog.current_database()
            union all
            select 'pg_catalog.pg_default_acl'::regclass, d.oid, null, null, null, pg_catalog.to_jsonb(d) from pg_catalog.pg_default_acl as d
            union all
            select 'pg_catalog.pg_event_trigger'::regclass, e.oid, null, null, null, pg_catalog.to_jsonb(e) from pg_catalog.pg_event_trigger as e
            union all
            select
                'pg_catalog.pg_extension'::regclass, e.oid, null, null, null,
                pg_catalog.to_jsonb(e)
                    || pg_catalog.jsonb_build_object(
                        'added',
                        (
                            select pg_catalog.string_agg(o.type || ' ' || o.identity, ', ' order by o.type, o.identity collate "C")
                            from (
                                select d.classid, d.objid
                                from pg_catalog.pg_depend as d
                                where d.refclassid = 'pg_catalog.pg_extension'::regclass
                                    and d.refobjid = e.oid
                                    and d.deptype = 'e'
                                except
                                select b.classid, b.objid
                                from extension_members as b
                            ) as d
                            cross join lateral pg_catalog.pg_identify_object(d.classid, d.objid, 0) as o
                        )
                    )
            from pg_catalog.pg_extension as e
            union all
            select 'pg_catalog.pg_foreign_data_wrapper'::regclass, w.oid, w.fdwowner, 'F', w.fdwacl, pg_catalog.to_jsonb(w)
            from pg_catalog.pg_foreign_data_wrapper as w
            union all
            select 'pg_catalog.pg_foreign_server'::regclass, s.oid, s.srvowner, 'S', s.srvacl, pg_catalog.to_jsonb(s)
            from pg_catalog.pg_foreign_server as s
            union all
            select 'pg_catalog.pg_language'::regclass, l.oid, l.lanowner, 'l', l.lanacl, pg_catalog.to_jsonb(l) from pg_catalog.pg_language as l
            union all
            select 'pg_catalog.pg_namespace'::regclass, n.oid, n.nspowner, 'n', n.nspacl, pg_catalog.to_jsonb(n) from pg_catalog.pg_namespace as n
            union all
            select 'pg_catalog.pg_opclass'::regclass, o.oid, null, null, null, pg_catalog.to_jsonb(o) from pg_catalog.pg_opclass as o
            union all
            select 'pg_catalog.pg_operator'::regclass, o.oid, null, null, null, pg_catalog.to_jsonb(o) from pg_catalog.pg_operator as o
            union all
            select 'pg_catalog.pg_opfamily'::regclass, o.oid, null, null, null, pg_catalog.to_jsonb(o) from pg_catalog.pg_opfamily as o
            union all
            select 'pg_catalog.pg_publication'::regclass, p.oid, null, null, null, pg_catalog.to_jsonb(p) from pg_catalog.pg_publication as p
            union all
            select 'pg_catalog.pg_publication_namespace'::regclass, p.oid, null, null, null, pg_catalog.to_jsonb(p)
            from pg_catalog.pg_publication_namespace as p
            union all
            select 'pg_catalog.pg_transform'::regclass, t.oid, null, null, null, pg_catalog.to_jsonb(t) from pg_catalog.pg_transform as t
            union all
            select 'pg_catalog.pg_ts_config'::regclass, t.oid, null, null, null, pg_catalog.to_jsonb(t) from pg_catalog.pg_ts_config as t
            union all
            select 'pg_catalog.pg_ts_dict'::regclass, t.oid, null, null, null, pg_catalog.to_jsonb(t) from pg_catalog.pg_ts_dict as t
            union all
            select 'pg_catalog.pg_ts_parser'::regclass, t.oid, null, null, null, pg_catalog.to_jsonb(t) from pg_catalog.pg_ts_parser as t
            union all
            select 'pg_catalog.pg_ts_template'::regclass, t.oid, null, null, null, pg_catalog.to_jsonb(t) from pg_catalog.pg_ts_template as t
        ) as whole (catalog, oid, owner, acl_type, acl, content)
        where whole.oid >= 16384
            or whole.catalog = any ('{
                pg_catalog.pg_database, pg_catalog.pg_extension, pg_catalog.pg_language, pg_catalog.pg_namespace
            }'::regclass[])
    )
    select
        f.catalog,
        f.oid,
        f.root,
        e.extname as extension,
        f.owner,
        f.acl_type,
        f.acl,
        f.content
    from found as f
    left join compared_objects as j on j.classid = f.root_class and j.objid = f.root
    left join extension_members as b on b.classid = f.root_class and b.objid = f.root
    left join pg_catalog.pg_extension as e on e.oid = b.extension
    where j.objid is not null
        -- Objects without a schema, such as event triggers and publications, affect the whole database.
        or f.root_class = any ('{
            pg_catalog.pg_database, pg_catalog.pg_event_trigger, pg_catalog.pg_foreign_data_wrapper, pg_catalog.pg_foreign_server,
            pg_catalog.pg_publication, pg_catalog.pg_subscription, pg_catalog.pg_user_mapping
        }'::regclass[])
        or f.root >= 16384
            and (b.extension is null or b.extension not in (select harmless_extensions.oid from harmless_extensions))
            and f.root_class = any ('{
                pg_catalog.pg_am, pg_catalog.pg_amop, pg_catalog.pg_amproc, pg_catalog.pg_cast, pg_catalog.pg_conversion,
                pg_catalog.pg_language, pg_catalog.pg_opclass, pg_catalog.pg_operator, pg_catalog.pg_opfamily,
                pg_catalog.pg_transform, pg_catalog.pg_ts_config, pg_catalog.pg_ts_dict, pg_catalog.pg_ts_parser,
                pg_catalog.pg_ts_template
            }'::regclass[])
$body$;

comment on function audit.catalog_rows() is
    'Catalog rows from which audit.state() makes facts, each with the extension of its object.';
