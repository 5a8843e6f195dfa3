create function audit.known_extensions()
    returns table (name name, library text, reason text)
    language sql immutable set search_path = ''
as $body$
    select k.name, '$libdir/' || case k.name when 'intarray' then '_int' else k.name end as library, k.reason
    from (
        values
            ('plpgsql'::name, 'comes with Postgres; a trusted language'),
            ('btree_gin', 'operator classes for indexes'),
            ('btree_gist', 'operator classes for indexes'),
            ('citext', 'a type of text'),
            ('cube', 'a type'),
            ('earthdistance', 'functions over a type'),
            ('fuzzystrmatch', 'functions over text'),
            ('hstore', 'a type'),
            ('intarray', 'functions over arrays'),
            ('isn', 'types of numbers'),
            ('ltree', 'a type'),
            ('pg_stat_statements', 'shows statements without values, and to other users without text'),
            ('pg_trgm', 'functions over text'),
            ('pgcrypto', 'functions over their arguments'),
            ('seg', 'a type'),
            ('tsm_system_rows', 'samples rows that policies allow'),
            ('tsm_system_time', 'samples rows that policies allow'),
            ('unaccent', 'a dictionary over text'),
            ('uuid-ossp', 'functions over their arguments')
    ) as k (name, reason)
$body$;

comment on function audit.known_extensions() is
    'Extensions whose functions read only their arguments. The audit finding extension_not_known reports extensions '
    'that are not in audit.known_extensions.';

-- audit.extension_members returns the objects of extensions and the objects that depend on such objects. A superuser
-- can forge rows of pg_depend, so an object of a known extension is returned only if its kind, library or types show
-- that it belongs to the extension. The audit finding extension_not_known shows a digest of all objects of an unknown
-- extension.
create function audit.extension_members()
    returns table (classid oid, objid oid, extension oid)
    language sql stable rows 1000 set search_path = ''
as $body$
    with recursive listed_members as (
        select d.classid, d.objid, e.oid as extension, e.extowner, known.library
        from pg_catalog.pg_depend as d
        join pg_catalog.pg_extension as e on e.oid = d.refobjid
        left join audit.known_extensions() as known on known.name = e.extname
        where d.refclassid = 'pg_catalog.pg_extension'::regclass and d.deptype = 'e'
    ),
    functions as (
        select s.objid, s.extension
        from listed_members as s
        join pg_catalog.pg_proc as f on f.oid = s.objid
        join pg_catalog.pg_language as l on l.oid = f.prolang
        where s.classid = 'pg_catalog.pg_proc'::regclass
            and not f.prosecdef
            and f.proowner in (10, s.extowner)
            and (
                f.prokind = 'a'
                or l.lanname = 'c' and f.probin = s.library
                -- A function in language internal may only rename a built-in function that everybody may run.
                or l.lanname = 'internal' and exists (
                    select
                    from pg_catalog.pg_proc as b
                    where b.oid < 16384 and b.prolang = f.prolang and b.prosrc = f.prosrc and b.proacl is null
                )
                or l.lanpltrusted
            )
    ),
    types as (
        select s.objid, s.extension from listed_members as s where s.classid = 'pg_catalog.pg_type'::regclass
    ),
    believed (classid, objid, extension, is_known) as (
        select s.classid, s.objid, s.extension, s.library is not null
        from listed_members as s
        where s.library is null
            or case s.classid
                when 'pg_catalog.pg_proc'::regclass
                    then exists (select from functions as f where (f.objid, f.extension) = (s.objid, s.extension))
                when 'pg_catalog.pg_operator'::regclass then exists (
                    select
                    from pg_catalog.pg_operator as o
                    where o.oid = s.objid
                        and (
                            exists (select from types as t where t.objid in (o.oprleft, o.oprright) and t.extension = s.extension)
                            or exists (select from functions as f where (f.objid, f.extension) = (o.oprcode, s.extension))
                        )
                )
                when 'pg_catalog.pg_cast'::regclass then exists (
                    select
                    from pg_catalog.pg_cast as c
                    join types as t on t.objid in (c.castsource, c.casttarget)
                    where c.oid = s.objid and t.extension = s.extension
                )
                when 'pg_catalog.pg_class'::regclass then exists (
                    select
                    from pg_catalog.pg_class as c
                    where c.oid = s.objid
                        and c.relkind in ('v', 'c')
                        -- The stored rule of such a view names no relation but, before Postgres 16, the view itself.
                        and not exists (
                            select
                            from pg_catalog.pg_rewrite as w
                            cross join lateral pg_catalog.regexp_matches(w.ev_action::text, ':relid (\d+)', 'g') as named (relation)
                            where w.ev_class = c.oid and named.relation[1]::oid not in (0, c.oid)
                        )
                )
                else s.classid = any ('{
                    pg_catalog.pg_type, pg_catalog.pg_opclass, pg_catalog.pg_opfamily, pg_catalog.pg_language,
                    pg_catalog.pg_ts_dict, pg_catalog.pg_ts_template
                }'::regclass[])
            end
        union
        select d.classid, d.objid, b.extension, b.is_known
        from believed as b
        join pg_catalog.pg_depend as d
            on d.refclassid = b.classid and d.refobjid = b.objid and d.deptype in ('a', 'i', 'P', 'S')
        left join pg_catalog.pg_rewrite as w on d.classid = 'pg_catalog.pg_rewrite'::regclass and w.oid = d.objid
        where not b.is_known
            or d.classid in ('pg_catalog.pg_type'::regclass, 'pg_catalog.pg_amop'::regclass, 'pg_catalog.pg_amproc'::regclass)
            or w.ev_class = b.objid
    )
    select b.classid, b.objid, b.extension
    from believed as b
$body$;

comment on function audit.extension_members() is
    'Objects that belong to an extension, except objects that a superuser forged into it, and objects that depend on '
    'these objects. audit.state() and views of audit findings call this function.';
