comment on table app.client_documents is
    'Copy of public.documents with the client of each document, for reporting and for lists. A trigger of '
    'public.documents writes this copy; other writes are refused.';
comment on column app.client_documents.filename is 'Name of the file, without directories.';
comment on column app.client_documents.file_size is 'Size in bytes; null if unknown.';
comment on column app.client_documents.mime_type is 'Media type, such as application/pdf; null if unknown.';
comment on column app.client_documents.uploaded_at is 'Time of the upload.';
comment on column app.client_documents.kind is
    'AVIS (tax notice), MANDAT (mandate of the client), RECLAMATION (the claim as sent), DECISION (of the '
    'administration or a court), COURRIER (letter) or AUTRE (default).';
comment on column app.client_documents.updated_at is 'Time of the last change, as in public.documents.';
