-- Columns of these names in every table; a table's own file may say more.
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
                ('client_id', 'The client; it never changes.'),
                ('reclamation_id', 'The claim.'),
                ('partner_id', 'The partner.'),
                ('subject', 'Subject of the user at the identity provider.'),
                ('actor', 'Subject of the token, or the database login outside a request.'),
                ('request_id', 'X-Request-Id of the request; null outside a request.'),
                ('address', 'Postal address as given; null if unknown.'),
                ('contact_email', 'Email for letters; null if unknown.'),
                ('commune_code', 'INSEE code of the commune: five digits, with 2A or 2B for Corsica; null if unknown.'),
                ('from_status', 'Status before the move.'),
                ('to_status', 'Status after the move.'),
                ('requires', 'Fields of the record that must not be null for the move.'),
                ('due_date', 'Last day to pay (échéance), not before issue_date; null if none was agreed.'),
                ('amount_excl_tax', 'Amount without VAT (HT), in euros.'),
                ('vat_rate', 'VAT (TVA) in percent, 20.00 unless given.'),
                ('search_text', 'Text for searches, from other columns by app.searchable, separated by U+001F. Computed.'),
                ('created_at', 'Time of creation.'),
                ('updated_at', 'Time of the last change, and the version in the ETag: it increases with every change.')
        ) as w (name, said)
        join pg_catalog.pg_attribute as a on a.attname = w.name and not a.attisdropped
        join pg_catalog.pg_class as c
            on c.oid = a.attrelid and c.relkind in ('r', 'p') and c.relowner = 'taxclaims_owner'::regrole
    loop
        execute command;
    end loop;
end
$columns$;
