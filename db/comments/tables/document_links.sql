comment on table app.document_links is
    'Download addresses of documents that work without a token, for one minute each. After a row is deleted, its '
    'address is refused.';
comment on column app.document_links.digest is
    'SHA-256 of the secret in the address, in hexadecimal digits. The secret is not stored.';
comment on column app.document_links.document_id is 'The document that the address opens.';
comment on column app.document_links.client_id is
    'Client of the document. The download has access to this client only.';
comment on column app.document_links.user_id is
    'The user who made the address. For a user who is not stored, the id that stands for the token''s subject.';
comment on column app.document_links.role is 'Role of the token with which the address was made.';
comment on column app.document_links.issued_at is
    'Time at which the token was issued with which the user made the address. The download is refused if the '
    'user''s rights changed since, as a request '
    'with the token is.';
comment on column app.document_links.access_digest is
    'Digest of the role and the clients in the token with which the user made the address. The download compares '
    'this digest with the stored rights.';
comment on column app.document_links.expires_at is
    'Time until which the download address works. The row is deleted some minutes later.';
