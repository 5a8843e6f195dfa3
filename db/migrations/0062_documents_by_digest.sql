-- In a transaction of its own: the index is built in a lock that lets everybody read meanwhile.
-- Finds the documents of a content, to which many rows of one claim may belong.
create index documents_sha256_idx on public.documents (sha256);
