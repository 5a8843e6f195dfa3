-- A content lies in the document store for as long as its row stands here.

create or replace trigger documents_track_content
    after insert or delete on public.documents
    for each row
    execute function app.track_content();

create or replace trigger documents_track_contents
    before truncate on public.documents
    for each statement
    execute function app.track_content();

-- What reporting reads of it goes along. The first time, when the table has no comment yet, those come first that were
-- attached since the migration: the deploy holds every table by now.
do $attached_since$
begin
    if pg_catalog.obj_description('app.client_documents'::regclass, 'pg_class') is not null then
        return;
    end if;
    drop trigger if exists client_documents_by_hand on app.client_documents;
    alter table public.reclamations no force row level security;
    alter table public.documents no force row level security;
    alter table app.client_documents no force row level security;
    set local row_security = off;
    insert into app.client_documents (id, client_id, reclamation_id, filename, file_size, mime_type, uploaded_at)
    select d.id, r.client_id, d.reclamation_id, d.filename, d.file_size, d.mime_type, d.uploaded_at
    from public.documents as d
    join public.reclamations as r on r.id = d.reclamation_id
    where not exists (select from app.client_documents as c where c.id = d.id);
    set local row_security = on;
    alter table public.reclamations force row level security;
    alter table public.documents force row level security;
    alter table app.client_documents force row level security;
end
$attached_since$;

create or replace trigger documents_copy
    after insert or update on public.documents
    for each row
    execute function app.copy_document();

create or replace trigger client_documents_by_hand
    before insert or update or delete on app.client_documents
    for each row
    when (pg_catalog.pg_trigger_depth() = 0)
    execute function app.refuse_copy_by_hand();

-- After it, when a truncate of the documents themselves has emptied both.
create or replace trigger client_documents_truncate_by_hand
    after truncate on app.client_documents
    for each statement
    execute function app.refuse_copy_by_hand();
