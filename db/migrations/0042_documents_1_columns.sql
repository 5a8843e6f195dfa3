-- In a transaction of its own: no table is held for it while the rights are applied.
-- What a document is, and when it was last changed, which nobody could do before. The defaults are of one moment, so that
-- no table is rewritten, and the same in the copy: the release before goes on attaching documents, which are AUTRE.
alter table public.documents
    add column kind character varying(20) not null default 'AUTRE',
    add column updated_at timestamp with time zone not null default pg_catalog.now(),
    add constraint documents_kind_known check (
        kind::text = any (array['AVIS', 'MANDAT', 'RECLAMATION', 'DECISION', 'COURRIER', 'AUTRE'])
    ) not valid;

alter table app.client_documents
    add column kind character varying(20) not null default 'AUTRE',
    add column updated_at timestamp with time zone not null default pg_catalog.now();
