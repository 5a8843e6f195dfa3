-- In a transaction of its own: the index is built in a lock that lets everybody read meanwhile.
-- Finds the documents with the same content.
create index documents_sha256_idx on public.documents (sha256);
