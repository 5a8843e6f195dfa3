create or replace view reporting.documents with (security_invoker) as
select
    d.id, d.client_id, d.reclamation_id, d.filename, d.file_size, d.mime_type, d.uploaded_at, d.kind
from app.client_documents as d;

grant select on reporting.documents to taxclaims_reporting;
