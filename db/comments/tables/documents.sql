comment on table public.documents is
    'Papers of a claim: what is known of a file. Its content lies in the document store, not in the database.';
comment on column public.documents.reclamation_id is 'The claim that the paper belongs to, and by it the client.';
comment on column public.documents.filename is 'The name under which it was uploaded and is downloaded, without folders.';
comment on column public.documents.file_path is
    'Where the content lies in the document store; random, and shown to no reporting login.';
comment on column public.documents.file_size is 'In bytes; null where it was not measured.';
comment on column public.documents.mime_type is
    'The media type, such as application/pdf, told from the content where that can be; null where it is not known.';
comment on column public.documents.uploaded_at is 'When the row was made, after the content was stored.';
comment on column public.documents.sha256 is
    'SHA-256 of the content as it was uploaded; null for one from before it was kept, until documents:check has read it.';
