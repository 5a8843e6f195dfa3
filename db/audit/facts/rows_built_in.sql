-- audit.describe_built_in_objects returns one digest per catalog of the objects that initdb made (oid below 16384), and
-- all rights to these objects that differ from the default rights. audit.describe_built_in_objects does not read
-- pg_init_privs, which a superuser can forge. query_to_xml runs one query for each catalog, including catalogs of later
-- releases.
create function audit.describe_built_in_objects()
    returns table (kind text, object text, definition text)
    language sql stable rows 200
    set jit = off
    set standard_conforming_strings = on
    set search_path = ''
as $body$
    -- row_by_row lists objects that the digests leave out, because audit.catalog_rows returns them: members of
    -- extensions, and schemas such as public that an administrator can drop and create again.
    with row_by_row as materialized (
        select b.classid, b.objid from audit.extension_members() as b where b.objid < 16384
        union all
        select 'pg_catalog.pg_namespace'::regclass, n.oid
        from pg_catalog.pg_namespace as n
        where n.nspname in ('public', 'app', 'reporting', 'audit')
    ),
    -- The digests leave out columns that Postgres changes by itself. The digests contain expressions as Postgres prints
    -- them.
    left_out as (
        select
            '{"ev_action": null, "ev_qual": null, "conbin": null, "prosqlbody": null, "proargdefaults": null}'
                || pg_catalog.jsonb_object_agg(c.attribute, null) as columns
        from audit.catalog_columns() as c
        where c.ordinary is null and c.explanation !~ '^(the object''s name has it|said where|the same)'
    ),
    digests as (
        select
            c.catalog,
            pg_catalog.query_to_xml(
                pg_catalog.format(
                    $query$
                    select pg_catalog.md5(pg_catalog.string_agg(r.said, ';' order by r.said collate "C")) as digest
                    from (
                        select
                            case
                                when %1$I < 12000 then pg_catalog.jsonb_populate_record(r, %2$L)::text
                                -- Oids from 12000 on, which initdb assigns, differ between operating systems.
                                else pg_catalog.regexp_replace(
                                    pg_catalog.jsonb_populate_record(r, %2$L)::text,
                                    '(\m|pg_toast_)1[2-6][0-9]{3}(?!\d)', 'initdb', 'g'
                                )
                            end || pg_catalog.concat(%3$s) as said
                        from pg_catalog.%4$I as r
                        where %1$I < 16384 and %1$I <> all (%5$L::oid[]) and %6$s
                    ) as r
                    $query$,
                    key.attname,
                    left_out.columns,
                    case c.catalog
                        when 'pg_proc' then 'pg_catalog.pg_get_function_sqlbody(oid), pg_catalog.pg_get_expr(proargdefaults, 0)'
                        when 'pg_constraint' then 'pg_catalog.pg_get_expr(conbin, conrelid)'
                        when 'pg_rewrite' then
                            'case rulename when ''_RETURN'' then pg_catalog.pg_get_viewdef(ev_class) else pg_catalog.pg_get_ruledef(oid) end'
                        else 'null'
                    end,
                    case c.catalog when 'pg_authid' then 'pg_roles' else c.catalog end,
                    array(
                        select a.objid
                        from row_by_row as a
                        where a.classid = key.attrelid
                    ),
                    case c.catalog
                        -- Collations with an oid from 12000 on come from the operating system.
                        when 'pg_collation' then 'oid < 12000'
                        -- The administrator chooses the name of the superuser with oid 10.
                        when 'pg_authid' then 'oid <> 10'
                        when 'pg_auth_members' then 'member <> 10'
                        -- Only a server whose initdb is of 15.20 or a later minor release has this function.
                        when 'pg_proc' then
                            pg_catalog.format(
                                'pg_catalog.jsonb_populate_record(r, %L)::text <> %L',
                                left_out.columns,
                                '(,binary_upgrade_set_next_attribute_versions,11,10,12,,,0,-,f,f,f,t,f,v,u,1,0,2278,3221,,,,,,'
                                    'binary_upgrade_set_next_attribute_versions,,,,)'
                            )
                        else 'true'
                    end
                ),
                false,
                true,
                ''
            )::text as said
        from audit.catalogs() as c
        join pg_catalog.pg_attribute as key
            on key.attrelid = pg_catalog.format('pg_catalog.%I', c.catalog)::regclass
            and case c.catalog when 'pg_auth_members' then key.attname = 'member' else key.attnum = 1 end
        cross join left_out
        where c.kind is not null
            -- The digests leave out catalogs that concern the whole server, that auditors may not read, or that initdb
            -- leaves empty.
            and c.catalog not in (
                'pg_database', 'pg_db_role_setting', 'pg_extension', 'pg_parameter_acl', 'pg_subscription', 'pg_user_mapping'
            )
    ),
    granted (classid, objid, kind, object, present, ordinary) as (
        select held.classid, held.oid, held.kind, held.object, held.acl, pg_catalog.acldefault(held.acl_type, held.owner)
        from (
            select 'pg_catalog.pg_proc'::regclass, f.oid, 'function', f.oid::regprocedure::text, f.proacl, 'f'::"char", f.proowner
            from pg_catalog.pg_proc as f
            union all
            select 'pg_catalog.pg_type'::regclass, t.oid, 'type', t.oid::regtype::text, t.typacl, 'T', t.typowner
            from pg_catalog.pg_type as t
            union all
            select 'pg_catalog.pg_namespace'::regclass, n.oid, 'schema', pg_catalog.quote_ident(n.nspname), n.nspacl, 'n', n.nspowner
            from pg_catalog.pg_namespace as n
            union all
            select 'pg_catalog.pg_language'::regclass, l.oid, 'language', pg_catalog.quote_ident(l.lanname), l.lanacl, 'l', l.lanowner
            from pg_catalog.pg_language as l
        ) as held (classid, oid, kind, object, acl, acl_type, owner)
        where held.acl is not null
        union all
        -- The ordinary right to a catalog is SELECT for everybody, without rights to single columns.
        select
            'pg_catalog.pg_class'::regclass, c.oid, 'table', c.oid::regclass::text,
            coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner)),
            pg_catalog.acldefault('r', c.relowner) || pg_catalog.makeaclitem(0, c.relowner, 'SELECT', false)
        from pg_catalog.pg_class as c
        where c.relkind in ('r', 'v')
        union all
        select
            'pg_catalog.pg_class'::regclass, a.attrelid, 'column', a.attrelid::regclass || '.' || a.attname, a.attacl, null
        from pg_catalog.pg_attribute as a
        where a.attacl is not null
    )
    select
        'built-in' as kind,
        d.catalog::text as object,
        (pg_catalog.regexp_match(d.said, '<digest>(\w+)<'))[1] as definition
    from digests as d
    where d.said like '%<digest>%'
    union all
    select
        'grant',
        c.kind || ' ' || c.object || ' to '
            || case changed.grantee when 0 then 'PUBLIC' when 10 then 'the first superuser' else pg_catalog.pg_get_userbyid(changed.grantee) end,
        pg_catalog.string_agg(
            case when changed.is_given then '' else 'without ' end
                || changed.privilege_type
                || case when changed.is_grantable then ' WITH GRANT OPTION' else '' end,
            '; '
            order by not changed.is_given, changed.privilege_type, changed.is_grantable
        )
    from granted as c
    cross join lateral (
        (
            select true as is_given, x.grantee, x.privilege_type, x.is_grantable from pg_catalog.aclexplode(c.present) as x
            except
            select true, x.grantee, x.privilege_type, x.is_grantable from pg_catalog.aclexplode(c.ordinary) as x
        )
        union all
        (
            select false, x.grantee, x.privilege_type, x.is_grantable from pg_catalog.aclexplode(c.ordinary) as x
            except
            select false, x.grantee, x.privilege_type, x.is_grantable from pg_catalog.aclexplode(c.present) as x
        )
    ) as changed
    where c.objid < 16384 and (c.classid, c.objid) not in (select a.classid, a.objid from row_by_row as a)
    group by 2
$body$;

comment on function audit.describe_built_in_objects() is
    'One digest per catalog of the rows that initdb made, and rights to built-in objects that differ from the default '
    'rights. For audit.state().';
