-- What a column of such a name says in every table whose own file says nothing else of it.
do $columns$
declare
    command text;
begin
    for command in
        select pg_catalog.format('comment on column %s.%I is %L', c.oid::regclass, a.attname, w.said)
        from (
            values
                ('id', 'A random UUID.'),
                ('is_only', 'Always true, so that there is one row.'),
                ('subject', 'The name of the user at the identity provider.'),
                ('address', 'The postal address as it was given; null where nobody gave one.'),
                ('from_status', 'The status before the move.'),
                ('to_status', 'The status after it.'),
                ('due_date', 'The last day to pay, not before issue_date; null where none was agreed.'),
                ('amount_excl_tax', 'Euros without VAT.'),
                ('vat_rate', 'VAT in percent, 20.00 unless said otherwise.'),
                ('search_text', 'Worked out, for lists to search: columns as app.searchable writes them, with U+001F between.'),
                ('created_at', 'When the row was made.'),
                ('updated_at', 'When the row was last changed; also the version that an ETag names, so it moves with every change.')
        ) as w (name, said)
        join pg_catalog.pg_attribute as a on a.attname = w.name and not a.attisdropped
        join pg_catalog.pg_class as c
            on c.oid = a.attrelid and c.relkind in ('r', 'p') and c.relowner = 'taxclaims_owner'::regrole
    loop
        execute command;
    end loop;
end
$columns$;
