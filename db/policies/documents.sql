-- Everybody who reads a claim reads its documents and may add one, with its kind. The firm's employees rename, classify
-- and delete documents. Nobody changes the content of a document.

select app.grant_columns(
    'public.documents', readers => 'taxclaims_client', writers => 'taxclaims_client',
    cr => '{id, reclamation_id, filename, file_path, file_size, mime_type, sha256, kind}',
    r => '{uploaded_at, updated_at, xmin}'
);
grant update (filename, kind), delete on public.documents to taxclaims_tax_specialist;

create policy documents_select_tenant on public.documents for select to taxclaims_client
    using (exists (select from public.reclamations as r where r.id = reclamation_id));
create policy documents_insert_tenant on public.documents for insert to taxclaims_client
    with check (exists (select from public.reclamations as r where r.id = reclamation_id));
create policy documents_update_tenant on public.documents for update to taxclaims_tax_specialist
    using (exists (select from public.reclamations as r where r.id = reclamation_id))
    with check (exists (select from public.reclamations as r where r.id = reclamation_id));
create policy documents_delete_tenant on public.documents for delete to taxclaims_tax_specialist
    using (exists (select from public.reclamations as r where r.id = reclamation_id));

grant
    select (id, reclamation_id, file_path, file_size, filename, mime_type, uploaded_at, sha256, kind, updated_at),
    update (sha256)
on public.documents to taxclaims_definer;
create policy documents_select_definer on public.documents for select to taxclaims_definer using (true);
create policy documents_update_definer on public.documents for update to taxclaims_definer
    using (sha256 is null)
    with check (sha256 is not null);
