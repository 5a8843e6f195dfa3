-- In a transaction of its own: no table is held for it while the rights are applied.
-- Reads the documents once, in a lock that stops neither reading nor writing.
alter table public.documents validate constraint documents_kind_known;
