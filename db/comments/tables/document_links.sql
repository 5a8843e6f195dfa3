comment on table app.document_links is
    'Addresses of documents without a token, for a minute each. After deleting a row its address is refused.';
comment on column app.document_links.digest is
    'SHA-256 of the secret in the address, in hexadecimal digits. The secret is not stored.';
comment on column app.document_links.document_id is 'The document; the address opens no other.';
comment on column app.document_links.client_id is 'The document''s client: the download has a right to that client alone.';
comment on column app.document_links.user_id is
    'The user who made the address; of a user who is not stored the id that stands for the subject.';
comment on column app.document_links.role is 'Role of the token with which the address was made.';
comment on column app.document_links.issued_at is
    'Time of that token. The download is refused as the token is: where rights changed since.';
comment on column app.document_links.access_digest is
    'Digest of that token''s role and clients, compared with the stored rights at the download.';
comment on column app.document_links.expires_at is 'End of the address. The row is deleted within minutes.';
