create or replace trigger documents_track_content
    after insert or delete on public.documents
    for each row execute function app.track_content();

create or replace trigger documents_track_contents
    before truncate on public.documents
    for each statement execute function app.track_content();

create or replace trigger documents_copy
    after insert or update on public.documents
    for each row execute function app.copy_document();

create or replace trigger client_documents_by_hand
    before insert or update or delete on app.client_documents
    for each row
    when (pg_catalog.pg_trigger_depth() = 0)
    execute function app.refuse_copy_by_hand();

-- A truncate of documents also truncates app.client_documents. app.refuse_copy_by_hand allows a truncate of the copy
-- only when documents is empty.
create or replace trigger client_documents_truncate_by_hand
    after truncate on app.client_documents
    for each statement execute function app.refuse_copy_by_hand();
