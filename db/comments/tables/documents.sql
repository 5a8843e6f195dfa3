comment on table public.documents is 'Documents of claims. The files are in the document store.';
comment on column public.documents.reclamation_id is 'The claim that the document belongs to.';
comment on column public.documents.filename is
    'Name of the file, without directories. The name comes from the upload, and users can change it.';
comment on column public.documents.file_path is
    'Random path of the file in the document store. The views of schema reporting do not show the path.';
comment on column public.documents.file_size is 'Size of the file in bytes; null if unknown.';
comment on column public.documents.mime_type is
    'Media type of the file, such as application/pdf, detected from the file if possible; null if unknown.';
comment on column public.documents.uploaded_at is 'Time at which the file was uploaded.';
comment on column public.documents.kind is
    'Kind of the document, one of AVIS (tax notice), MANDAT (mandate of the client), RECLAMATION (the claim as sent), '
    'DECISION (of the administration or a court), COURRIER (letter) or AUTRE (default).';
comment on column public.documents.sha256 is
    'SHA-256 of the file; null for a document uploaded before this column existed, until npm run documents:check reads '
    'the file.';
