comment on table app.document_links is
    'Download addresses of documents. Each address works for one minute and without a token. '
    'The service refuses an address whose row was deleted.';
comment on column app.document_links.digest is
    'SHA-256 of the secret in the download address, in hexadecimal digits. The secret is not stored.';
comment on column app.document_links.document_id is 'The document that the download address opens.';
comment on column app.document_links.client_id is
    'Client of the document, and the only client whose records the download can read.';
comment on column app.document_links.user_id is
    'The user who created the download address. If the user is not in public.users, the service computes created_by '
    'from the token''s subject.';
comment on column app.document_links.role is 'Role in the token with which the user created the download address.';
comment on column app.document_links.issued_at is
    'Issue time of the token with which the user created the download address. The service refuses the download if '
    'issued_at is before a change of the user''s rights that made older tokens invalid.';
comment on column app.document_links.access_digest is
    'Digest of the role and the clients in the token with which the user created the download address. At the '
    'download, the service compares access_digest with the user''s stored rights.';
comment on column app.document_links.expires_at is
    'Time until which the download address works. The service deletes the row some minutes after expires_at.';
