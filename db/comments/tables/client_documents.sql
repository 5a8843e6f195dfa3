comment on table app.client_documents is
    'What reporting reads of each document, with its client; kept by a trigger of public.documents, and refused to '
    'everybody else.';
comment on column app.client_documents.id is 'As in public.documents.';
comment on column app.client_documents.client_id is 'The client of the claim.';
comment on column app.client_documents.reclamation_id is 'As in public.documents.';
comment on column app.client_documents.filename is 'As in public.documents.';
comment on column app.client_documents.file_size is 'As in public.documents: in bytes; null where it was not measured.';
comment on column app.client_documents.mime_type is 'As in public.documents; null where it is not known.';
comment on column app.client_documents.uploaded_at is 'As in public.documents.';
