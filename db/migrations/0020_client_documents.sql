-- What reporting reads of a document, beside its client: asked through the claim, whose a document is costs a look-up
-- for each, and no index has a client's documents in their order.
create table app.client_documents (
    id uuid not null,
    client_id uuid not null,
    reclamation_id uuid not null,
    filename character varying(255) not null,
    file_size integer,
    mime_type character varying(100),
    uploaded_at timestamp with time zone not null
);

-- Nobody reads or writes documents and claims meanwhile, which takes about fifteen seconds for a million. What is attached
-- between this and the rest of the deploy is copied where the trigger is made.
alter table public.reclamations no force row level security;
alter table public.documents no force row level security;
set local row_security = off;

insert into app.client_documents (id, client_id, reclamation_id, filename, file_size, mime_type, uploaded_at)
select d.id, r.client_id, d.reclamation_id, d.filename, d.file_size, d.mime_type, d.uploaded_at
from public.documents as d
join public.reclamations as r on r.id = d.reclamation_id
order by d.uploaded_at;

alter table app.client_documents
    add primary key (id),
    add constraint client_documents_document foreign key (id) references public.documents (id) on delete cascade,
    -- The pair keeps a document with the client of its claim.
    add constraint client_documents_reclamation_of_client foreign key (reclamation_id, client_id)
        references public.reclamations (id, client_id) on update cascade on delete cascade;

set local row_security = on;
alter table public.reclamations force row level security;
alter table public.documents force row level security;

-- All that is read of a client's documents, in one place: one by one from the table they would look dearer than reading
-- the newest of everybody, of which a small client has none for a long time.
create index client_documents_client_id_idx on app.client_documents (client_id, uploaded_at desc)
    include (id, reclamation_id, filename, file_size, mime_type);
create index client_documents_reclamation_id_idx on app.client_documents (reclamation_id);
create index client_documents_uploaded_at_idx on app.client_documents (uploaded_at desc);

alter table app.client_documents enable row level security;
alter table app.client_documents force row level security;
