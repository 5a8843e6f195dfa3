-- audit.drift does not report publications, because the detail of this finding has a digest of the publication's
-- options, columns and row filters.
create view audit.finding_published_table with (security_invoker) as
select
    'warning' as level,
    p.pubname as object,
    pg_catalog.format(
        'sends %s to every subscriber (%s)',
        case when p.puballtables then 'every table' else sent.tables end,
        pg_catalog.md5(
            pg_catalog.concat_ws(
                ' ',
                pg_catalog.to_jsonb(p) - '{oid,pubowner}'::text[],
                pg_catalog.pg_get_userbyid(p.pubowner),
                sent.whole
            )
        )
    ) as detail,
    pg_catalog.format('drop publication %I;  -- or check that the subscriber has the same policies', p.pubname) as remedy,
    case
        when not audit.may_act_as(p.pubowner)
            then 'the provider sends these rows to others: ask to whom, and use a database without the publication'
    end as provider
from pg_catalog.pg_publication as p
cross join lateral (
    select
        pg_catalog.string_agg(named.tables, ', ' order by named.tables collate "C") as tables,
        pg_catalog.string_agg(named.whole, ', ' order by named.whole collate "C") as whole
    from (
        select
            pg_catalog.format('%I.%I', n.nspname, c.relname) as tables,
            pg_catalog.concat_ws(' ', n.nspname, c.relname, r.prattrs, pg_catalog.pg_get_expr(r.prqual, r.prrelid)) as whole
        from pg_catalog.pg_publication_rel as r
        join pg_catalog.pg_class as c on c.oid = r.prrelid
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        where r.prpubid = p.oid
        union all
        select pg_catalog.format('%I.*', n.nspname), pg_catalog.format('%I.*', n.nspname)
        from pg_catalog.pg_publication_namespace as r
        join pg_catalog.pg_namespace as n on n.oid = r.pnnspid
        where r.pnpubid = p.oid
    ) as named
) as sent
where exists (
    select
    from pg_catalog.pg_publication_tables as t
    where t.pubname = p.pubname
        and (t.schemaname = 'audit_log' or t.schemaname in (select s.name from audit.house_schemas as s))
);

comment on view audit.finding_published_table is
    'Subscribers get whole tables, without policies. Cause: CREATE PUBLICATION. Mend: drop the publication, or give '
    'the subscriber''s tables the same policies.';
