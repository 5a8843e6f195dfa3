-- A document belongs to a claim: whoever reads the claim reads it and may add one, and only the firm's people
-- delete one. A document is never changed.

select app.grant_columns(
    'public.documents', readers => 'taxclaims_client', writers => 'taxclaims_client',
    cr => '{id, reclamation_id, filename, file_path, file_size, mime_type, sha256}',
    r => '{uploaded_at}'
);
grant delete on public.documents to taxclaims_tax_specialist;

-- The claim's own policies decide: the parent is read as the caller.
create policy documents_select_tenant on public.documents for select to taxclaims_client
    using (exists (select from public.reclamations as r where r.id = reclamation_id));
create policy documents_insert_tenant on public.documents for insert to taxclaims_client
    with check (exists (select from public.reclamations as r where r.id = reclamation_id));
create policy documents_delete_tenant on public.documents for delete to taxclaims_tax_specialist
    using (exists (select from public.reclamations as r where r.id = reclamation_id));

-- app.locate tells a foreign record from none; app.due_removals keeps whatever content a document has, and
-- app.contents_of_documents and app.digests_of_documents say what it must be; app.impossible_rows compares each with its
-- copy. app.keep_digest gives a digest to a document from before digests were kept, and changes none.
grant
    select (id, reclamation_id, file_path, file_size, filename, mime_type, uploaded_at, sha256),
    update (sha256)
on public.documents to taxclaims_definer;
create policy documents_select_definer on public.documents for select to taxclaims_definer using (true);
create policy documents_update_definer on public.documents for update to taxclaims_definer
    using (sha256 is null)
    with check (sha256 is not null);
