do $hand_over$
declare
    part regclass;
begin
    for part in
        select t.relid
        from pg_catalog.pg_partition_tree('audit_log.months') as t
        join pg_catalog.pg_class as c on c.oid = t.relid
        where c.relowner <> 'taxclaims_housekeeper'::regrole
    loop
        execute pg_catalog.format('alter table %s owner to taxclaims_housekeeper', part);
    end loop;
end
$hand_over$;
