-- app.normalize_stored_expression does not call pg_get_expr, which would wait for locks on the tables that the
-- expression names.
create or replace function app.normalize_stored_expression(tree pg_node_tree)
    returns text
    language sql stable set search_path = ''
return pg_catalog.regexp_replace(
    tree::text,
    ':(stmt_)?(location|len) -?[0-9]+|:[a-z_]+format [0-9]+|\m[0-9]{5,}\M',
    '',
    'g'
);

comment on function app.normalize_stored_expression(pg_node_tree) is
    'Returns a stored expression without oids, positions and cast forms, which differ between databases. For '
    'app.digest_functions_and_triggers.';
grant execute on function app.normalize_stored_expression(pg_node_tree) to taxclaims_api;

-- app.digest_functions_and_triggers is cheap enough for one call per second. app.digest_functions_and_triggers returns
-- internal triggers of foreign keys only if they are disabled.
create or replace function app.digest_functions_and_triggers()
    returns table (object text, digest text)
    language plpgsql stable set search_path = ''
as $function$
begin
    return query
    select
        'function ' || f.oid::regprocedure::text,
        pg_catalog.md5(
            pg_catalog.concat_ws(
                ' ',
                f.prosrc,
                app.normalize_stored_expression(f.prosqlbody),
                f.proowner::regrole,
                f.prosecdef, f.provolatile, f.proleakproof, f.proconfig
            )
        )
    from pg_catalog.pg_proc as f
    where f.pronamespace = 'app'::regnamespace and f.proname <> 'read_deployed_digests'
    union all
    select
        pg_catalog.format('trigger %s on %s', t.tgname, t.tgrelid::regclass),
        pg_catalog.md5(
            pg_catalog.concat_ws(
                ' ',
                t.tgenabled, t.tgtype,
                t.tgfoid::regprocedure,
                (
                    select pg_catalog.string_agg(a.attname, ' ' order by a.attnum)
                    from pg_catalog.pg_attribute as a
                    where a.attrelid = t.tgrelid and a.attnum = any (t.tgattr)
                ),
                t.tgargs, t.tgdeferrable, t.tginitdeferred, t.tgoldtable, t.tgnewtable,
                -- A trigger's digest contains column names, not column numbers, because a restore renumbers the columns
                -- after a dropped column.
                pg_catalog.regexp_replace(app.normalize_stored_expression(t.tgqual), ':varattno(syn)? [0-9]+', '', 'g'),
                (
                    select pg_catalog.string_agg(a.attname, ' ' order by m.place)
                    from pg_catalog.regexp_matches(t.tgqual::text, ':varattno ([0-9]+)', 'g')
                        with ordinality as m (found, place)
                    join pg_catalog.pg_attribute as a
                        on a.attrelid = t.tgrelid and a.attnum = m.found[1]::smallint
                )
            )
        )
    from pg_catalog.pg_trigger as t
    join pg_catalog.pg_class as c on c.oid = t.tgrelid
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where n.nspname in ('public', 'app', 'reporting', 'audit') and (not t.tgisinternal or t.tgenabled <> 'O')
    union all
    -- All partitions of the audit log share one returned row, whose digest changes if their triggers differ from each
    -- other.
    select
        'triggers of the months of the audit log',
        pg_catalog.md5(pg_catalog.string_agg(distinct one.triggers, '; ' order by one.triggers))
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    cross join lateral (
        select
            coalesce(
                pg_catalog.string_agg(
                    pg_catalog.concat_ws(' ', t.tgname, t.tgenabled, t.tgtype, t.tgfoid::regprocedure, app.normalize_stored_expression(t.tgqual)),
                    ', '
                    order by t.tgname
                ),
                'none'
            ) as triggers
        from pg_catalog.pg_trigger as t
        where t.tgrelid = c.oid
    ) as one
    where n.nspname = 'audit_log' and c.relkind in ('r', 'p')
    union all
    select
        pg_catalog.format('rule %s on %s', w.rulename, w.ev_class::regclass),
        pg_catalog.md5(w.ev_enabled::text || w.ev_action::text)
    from pg_catalog.pg_rewrite as w
    join pg_catalog.pg_class as c on c.oid = w.ev_class
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where n.nspname in ('public', 'app', 'reporting', 'audit') and not (c.relkind = 'v' and w.rulename = '_RETURN');
end
$function$;

comment on function app.digest_functions_and_triggers() is
    'Returns the functions of schema app, the triggers and the rules, each with a digest. For app.objections.';
grant execute on function app.digest_functions_and_triggers() to taxclaims_api;
