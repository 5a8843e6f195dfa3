comment on table public.documents is 'Documents of claims. Their contents are in the document store.';
comment on column public.documents.reclamation_id is 'The claim of the document.';
comment on column public.documents.filename is 'Name of the file, without folders: that of the upload, until somebody changes it.';
comment on column public.documents.file_path is
    'Path of the content in the document store, random. Reporting does not see it.';
comment on column public.documents.file_size is 'Size in bytes; null if unknown.';
comment on column public.documents.mime_type is
    'Media type, such as application/pdf, recognised from the content if possible; null if unknown.';
comment on column public.documents.uploaded_at is 'Time of the upload.';
comment on column public.documents.kind is
    'What it is: AVIS (tax notice), MANDAT (mandate of the client), RECLAMATION (the claim as sent), DECISION (of the '
    'administration or a court), COURRIER (letter) or AUTRE, which it is until somebody says so.';
comment on column public.documents.sha256 is
    'SHA-256 of the content; null for older documents until documents:check has read them.';
