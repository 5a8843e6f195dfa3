-- Reporting reads this copy of documents, without file_path. Only the trigger of documents writes it.

-- app.copy_document writes within a trigger; app.impossible_rows compares.
grant
    select (id, client_id, reclamation_id, filename, file_size, mime_type, uploaded_at),
    insert (id, client_id, reclamation_id, filename, file_size, mime_type, uploaded_at),
    update (client_id, reclamation_id, filename, file_size, mime_type, uploaded_at)
on app.client_documents to taxclaims_definer;
create policy client_documents_select_definer on app.client_documents for select to taxclaims_definer using (true);
create policy client_documents_insert_definer on app.client_documents for insert to taxclaims_definer
    with check (pg_catalog.pg_trigger_depth() > 0);
create policy client_documents_update_definer on app.client_documents for update to taxclaims_definer
    using (pg_catalog.pg_trigger_depth() > 0)
    with check (pg_catalog.pg_trigger_depth() > 0);
