-- Only a trigger of documents and the functions of the document store read or write app.content_removals.

grant select (file_path, due_at), insert (file_path, due_at), delete on app.content_removals to taxclaims_definer;
create policy content_removals_select_definer on app.content_removals for select to taxclaims_definer using (true);
create policy content_removals_insert_definer on app.content_removals for insert to taxclaims_definer with check (true);
create policy content_removals_delete_definer on app.content_removals for delete to taxclaims_definer using (true);
