-- Generates app.changed_columns with one comparison for each column that an update can change. Comparing whole rows as
-- jsonb would take ten times as long. app.changed_columns returns only columns that an ADMIN may read, and thus no
-- secrets.
do $changed_columns$
declare
    comparisons constant text := (
        select pg_catalog.string_agg(
            pg_catalog.format(E'        when %L then\n%s', t.name, t.comparisons), E'\n' order by t.name collate "C"
        )
        from (
            select
                c.relname as name,
                pg_catalog.string_agg(
                    pg_catalog.format(
                        $comparison$            if became.%1$I is distinct from was.%1$I
                and pg_catalog.has_column_privilege('taxclaims_admin', %2$L, %1$L, 'SELECT')
            then
                changed := changed
                    || pg_catalog.jsonb_build_object(%1$L, pg_catalog.jsonb_build_array(was.%1$I, became.%1$I));
            end if;$comparison$,
                        a.attname, 'public.' || c.relname
                    ),
                    E'\n' order by a.attname collate "C"
                ) as comparisons
            from pg_catalog.pg_class as c
            join pg_catalog.pg_attribute as a
                on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                and a.attname not in ('id', 'client_id', 'created_at', 'updated_at')
            where exists (
                select
                from pg_catalog.pg_trigger as t
                where t.tgrelid = c.oid and t.tgfoid = 'app.record_change()'::regprocedure
            )
            group by c.relname
        ) as t
    );
begin
    execute pg_catalog.format(
        $create$
create or replace function app.changed_columns(relation name, was record, became record)
    returns jsonb
    language plpgsql stable set search_path = ''
as $function$
declare
    changed jsonb := '{}';
begin
    case changed_columns.relation
%s
    end case;
    return nullif(changed, '{}');
end
$function$
        $create$,
        comparisons
    );
end
$changed_columns$;

comment on function app.changed_columns(name, record, record) is
    'Returns the columns that differ between two rows of a table, as {"column": [old, new]}; null if none differ. For '
    'app.record_change.';
grant execute on function app.changed_columns(name, record, record) to taxclaims_definer;
