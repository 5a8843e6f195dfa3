create or replace function app.copy_document()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    if tg_op = 'INSERT' then
        insert into app.client_documents (id, client_id, reclamation_id, filename, file_size, mime_type, uploaded_at, kind, updated_at)
        select new.id, r.client_id, new.reclamation_id, new.filename, new.file_size, new.mime_type, new.uploaded_at, new.kind,
            new.updated_at
        from public.reclamations as r
        where r.id = new.reclamation_id;
    else
        update app.client_documents as c
        set client_id = r.client_id,
            reclamation_id = new.reclamation_id,
            filename = new.filename,
            file_size = new.file_size,
            mime_type = new.mime_type,
            uploaded_at = new.uploaded_at,
            kind = new.kind,
            updated_at = new.updated_at
        from public.reclamations as r
        where c.id = new.id and r.id = new.reclamation_id;
    end if;
    if not found then
        raise exception 'document % has no client: its claim is not visible yet', new.id
            using errcode = 'serialization_failure';
    end if;
    return null;
end
$function$;

comment on function app.copy_document() is
    'Trigger of documents that copies each document, with its client, to app.client_documents.';
grant execute on function app.copy_document() to taxclaims_owner;

create or replace function app.refuse_direct_copy_write()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    if tg_op = 'TRUNCATE' and not exists (select from public.documents) then
        return null;
    end if;
    raise exception 'app.client_documents is a copy: change public.documents instead' using errcode = 'insufficient_privilege';
end
$function$;

comment on function app.refuse_direct_copy_write() is
    'Trigger of app.client_documents that refuses a direct write to that table. Only triggers of other tables, and a '
    'superuser who loads rows with session_replication_role = replica, may write app.client_documents.';
grant execute on function app.refuse_direct_copy_write() to taxclaims_owner;
