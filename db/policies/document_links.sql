-- A user can make a short-lived download address for a document. Only the functions that create, open and delete
-- download addresses, and the erasure of a user, read or write app.document_links.

grant
    select (digest, document_id, client_id, subject, user_id, role, issued_at, access_digest, expires_at),
    insert (digest, document_id, client_id, subject, user_id, role, issued_at, access_digest, expires_at),
    delete
on app.document_links to taxclaims_definer;
create policy document_links_select_definer on app.document_links for select to taxclaims_definer using (true);
create policy document_links_insert_definer on app.document_links for insert to taxclaims_definer
    with check (subject = (select app.setting('actor')));
create policy document_links_delete_definer on app.document_links for delete to taxclaims_definer
    using (expires_at <= pg_catalog.now() or pg_catalog.pg_trigger_depth() > 0);
