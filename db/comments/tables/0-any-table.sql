-- This file lists column names, such as created_at, and sets one comment for all columns with the same name. The file
-- of a single table may replace the comment for a column of that table.
do $columns$
declare
    command text;
begin
    for command in
        select pg_catalog.format('comment on column %s.%I is %L', c.oid::regclass, a.attname, w.comment)
        from (
            values
                ('id', 'A random UUID.'),
                ('is_only', 'Always true, so that the table has only one row.'),
                ('client_id', 'The client of the record. It never changes.'),
                ('reclamation_id', 'The claim of the record.'),
                ('partner_id', 'The partner of the record.'),
                ('subject', 'Subject of the user at the identity provider.'),
                ('actor', 'Subject of the token, or the database login outside a request.'),
                ('request_id', 'X-Request-Id of the request; null outside a request.'),
                ('address', 'Postal address as given; null if unknown.'),
                ('contact_email', 'Email for letters; null if unknown.'),
                ('commune_code', 'INSEE code of the commune: five digits, with 2A or 2B for Corsica; null if unknown.'),
                ('from_status', 'Status before the change.'),
                ('to_status', 'Status after the change.'),
                ('requires', 'Fields of the record that must not be null for this change of status.'),
                ('due_date', 'Last day to pay (échéance), not before issue_date; null if no day was agreed.'),
                ('amount_excl_tax', 'Amount without VAT (HT), in euros.'),
                ('vat_rate', 'VAT (TVA) in percent, 20.00 unless given.'),
                ('search_text', 'Searchable text: other columns as app.searchable returns them, separated by U+001F. Computed.'),
                ('created_at', 'Time of creation.'),
                ('updated_at', 'Time of the last change. It increases with every change and is the version in the ETag.')
        ) as w (name, comment)
        join pg_catalog.pg_attribute as a on a.attname = w.name and not a.attisdropped
        join pg_catalog.pg_class as c
            on c.oid = a.attrelid and c.relkind in ('r', 'p') and c.relowner = 'taxclaims_owner'::regrole
    loop
        execute command;
    end loop;
end
$columns$;
