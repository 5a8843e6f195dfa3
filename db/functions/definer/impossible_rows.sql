-- Reads whole tables.
create or replace function app.impossible_rows()
    returns table (object text, detail text, rows bigint)
    language plpgsql stable security definer set search_path = ''
as $function$
begin
    return query
    select
        'public.reclamations',
        'claims on the site of another client, or on none',
        (
            select pg_catalog.count(*)
            from public.reclamations as r
            where not exists (select from public.sites as s where s.id = r.site_id and s.client_id = r.client_id)
        );
    return query
    select
        'app.client_documents',
        'documents whose copy for reporting is missing, is another, or is of none',
        (
            select pg_catalog.count(*)
            from (
                select d.id, r.client_id, d.reclamation_id, d.filename, d.file_size, d.mime_type, d.uploaded_at
                from public.documents as d
                left join public.reclamations as r on r.id = d.reclamation_id
            ) as d
            full join app.client_documents as c on c.id = d.id
            where (d.id, d.client_id, d.reclamation_id, d.filename, d.file_size, d.mime_type, d.uploaded_at)
                is distinct from (c.id, c.client_id, c.reclamation_id, c.filename, c.file_size, c.mime_type, c.uploaded_at)
        );
    -- Lists may name deleted clients, whose deletion the audit log tells.
    return query
    select
        'public.users',
        'users whose list names a client that is not there, and of which the audit log tells nothing',
        (
            select pg_catalog.count(*)
            from public.users as u
            where exists (
                select
                from pg_catalog.unnest(u.client_access) as listed (id)
                where not exists (select from public.clients as c where c.id = listed.id)
                    and not exists (
                        select
                        from public.audit_logs as a
                        where a.resource_id = listed.id and a.resource_type = 'clients' and a.success
                    )
            )
        );
end
$function$;

comment on function app.impossible_rows() is 'Number of rows, by table, that no request can write. For audit.findings.';
grant execute on function app.impossible_rows() to taxclaims_auditor, taxclaims_owner;
