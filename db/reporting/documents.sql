-- The documents of the granted clients' claims, with the client. Through the claim, so that the planner may begin
-- with the few claims that the login sees. Not where the contents lie (file_path).

create or replace view reporting.documents with (security_invoker) as
select
    d.id,
    r.client_id,
    d.reclamation_id,
    d.filename,
    d.file_size,
    d.mime_type,
    d.uploaded_at
from public.documents as d
join public.reclamations as r on r.id = d.reclamation_id;

comment on column reporting.documents.client_id is 'Joins reporting.clients.id.';
comment on column reporting.documents.reclamation_id is 'Joins reporting.reclamations.id.';

grant select on reporting.documents to taxclaims_reporting;
