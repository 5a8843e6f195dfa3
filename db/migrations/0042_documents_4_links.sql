-- Addresses of documents that are good for a minute and need no token. What is kept is the digest of the secret, and with
-- which rights the address was made, to hold them against the present ones: an address opens what its token would open.
create table app.document_links (
    digest text primary key,
    document_id uuid not null,
    client_id uuid not null,
    subject text not null,
    user_id uuid not null,
    role text not null,
    issued_at timestamp with time zone not null,
    access_digest text not null,
    expires_at timestamp with time zone not null
);

alter table app.document_links enable row level security;
alter table app.document_links force row level security;
