-- app.client_documents is a copy of public.documents, with the client of each document and without file_path. Reporting
-- and the lists of the API read app.client_documents. Only a trigger of public.documents writes app.client_documents.

select app.grant_columns(
    'app.client_documents', readers => 'taxclaims_client', writers => null,
    r => '{id, client_id, reclamation_id, filename, file_size, mime_type, uploaded_at, kind, updated_at, xmin}'
);
create policy client_documents_select_tenant on app.client_documents for select to taxclaims_client
    using (client_id = any ((select app.client_access())::uuid[]));

grant
    select (id, client_id, reclamation_id, filename, file_size, mime_type, uploaded_at, kind, updated_at),
    insert (id, client_id, reclamation_id, filename, file_size, mime_type, uploaded_at, kind, updated_at),
    update (client_id, reclamation_id, filename, file_size, mime_type, uploaded_at, kind, updated_at)
on app.client_documents to taxclaims_definer;
create policy client_documents_select_definer on app.client_documents for select to taxclaims_definer using (true);
create policy client_documents_insert_definer on app.client_documents for insert to taxclaims_definer
    with check (pg_catalog.pg_trigger_depth() > 0);
create policy client_documents_update_definer on app.client_documents for update to taxclaims_definer
    using (pg_catalog.pg_trigger_depth() > 0)
    with check (pg_catalog.pg_trigger_depth() > 0);
