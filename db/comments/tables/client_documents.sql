comment on table app.client_documents is
    'Copy of public.documents with the client of each document, for reporting and for lists of documents. A trigger of '
    'public.documents writes this copy; the database refuses all other writes.';
comment on column app.client_documents.filename is 'Name of the file, without directories.';
comment on column app.client_documents.file_size is 'Size of the file in bytes; null if unknown.';
comment on column app.client_documents.mime_type is 'Media type of the file, such as application/pdf; null if unknown.';
comment on column app.client_documents.uploaded_at is 'Time at which the file was uploaded.';
comment on column app.client_documents.kind is
    'Kind of the document, one of AVIS (tax notice), MANDAT (mandate of the client), RECLAMATION (the claim as sent), '
    'DECISION (of the administration or a court), COURRIER (letter) or AUTRE (default).';
comment on column app.client_documents.updated_at is
    'Time at which the document was last changed, copied from public.documents.';
