-- A content lies in the document store for as long as its row stands here.

create or replace trigger documents_track_content
    after insert or delete on public.documents
    for each row
    execute function app.track_content();

create or replace trigger documents_track_contents
    before truncate on public.documents
    for each statement
    execute function app.track_content();
