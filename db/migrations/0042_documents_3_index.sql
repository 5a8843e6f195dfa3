-- In a transaction of its own: the index is built in a lock that lets everybody read meanwhile.
-- Reporting and lists read a client's documents from this index alone: it takes the new columns as well, and the id has
-- its place in the order of lists.
create index client_documents_of_client_idx on app.client_documents (client_id, uploaded_at desc, id desc)
    include (reclamation_id, filename, file_size, mime_type, kind, updated_at);
drop index app.client_documents_client_id_idx;
alter index app.client_documents_of_client_idx rename to client_documents_client_id_idx;
