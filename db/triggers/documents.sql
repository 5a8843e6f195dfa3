create or replace trigger documents_update_content_removals
    after insert or delete on public.documents
    for each row execute function app.update_content_removals();

create or replace trigger documents_plan_all_content_removals
    before truncate on public.documents
    for each statement execute function app.update_content_removals();

create or replace trigger documents_copy_to_client_documents
    after insert or update on public.documents
    for each row execute function app.copy_document();

create or replace trigger client_documents_refuse_direct_write
    before insert or update or delete on app.client_documents
    for each row
    when (pg_catalog.pg_trigger_depth() = 0)
    execute function app.refuse_direct_copy_write();

-- A truncate of documents also truncates app.client_documents. app.refuse_direct_copy_write allows a truncate of the
-- copy only when documents is empty.
create or replace trigger client_documents_refuse_truncate
    after truncate on app.client_documents
    for each statement execute function app.refuse_direct_copy_write();
