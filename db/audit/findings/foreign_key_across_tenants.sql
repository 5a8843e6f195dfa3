create view audit.finding_foreign_key_across_tenants with (security_invoker) as
with owned as (
    select f.conrelid as table_oid, f.conkey[1] as client_column
    from pg_catalog.pg_constraint as f
    where f.contype = 'f'
        and f.confrelid = 'public.clients'::regclass
        and pg_catalog.cardinality(f.conkey) = 1
)
select
    'error' as level,
    f.conname || ' on ' || t.name as object,
    pg_catalog.format('refers to %s without client_id', f.confrelid::regclass) as detail,
    'replace it: foreign key (…, client_id) references the table''s (id, client_id)' as remedy
from pg_catalog.pg_constraint as f
join audit.house_tables as t on t.oid = f.conrelid
join owned as child on child.table_oid = f.conrelid
join owned as parent on parent.table_oid = f.confrelid
where f.contype = 'f'
    and not exists (
        select
        from rows from (pg_catalog.unnest(f.conkey), pg_catalog.unnest(f.confkey)) as pair (child_column, parent_column)
        where pair.child_column = child.client_column and pair.parent_column = parent.client_column
    );

comment on view audit.finding_foreign_key_across_tenants is
    'A client learns that another client''s row exists, because a foreign key accepts the id of that row. Cause: a '
    'foreign key to an id without client_id. Mend: make the foreign key refer to the pair (…, client_id).';
