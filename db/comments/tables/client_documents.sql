comment on table app.client_documents is
    'Copy of the documents for reporting, with the client. A trigger of public.documents writes it; all others are '
    'refused.';
comment on column app.client_documents.filename is 'As in public.documents.';
comment on column app.client_documents.file_size is 'In bytes; null if unknown.';
comment on column app.client_documents.mime_type is 'As in public.documents; null if unknown.';
comment on column app.client_documents.uploaded_at is 'As in public.documents.';
