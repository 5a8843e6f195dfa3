-- In a transaction of its own: no table is held for it while the rights are applied.
-- What was uploaded, told by its SHA-256. Null for documents of before and of the release before, which goes on writing
-- until it is replaced. The next migration looks at the rows, in a lock that stops nobody.
alter table public.documents
    add column sha256 bytea,
    add constraint documents_sha256_check check (octet_length(sha256) = 32) not valid;
