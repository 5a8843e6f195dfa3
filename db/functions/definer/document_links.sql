-- Addresses of documents that need no token. A caller makes one of a document that it reads; the API opens it.

-- A minute, whoever asks: src/resources/documents says nothing of it.
create or replace function app.link_document(
    digest text, document_id uuid, client_id uuid, issued_at timestamp with time zone, access_digest text
)
    returns timestamp with time zone
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    ends constant timestamp with time zone := pg_catalog.now() + interval '1 minute';
begin
    -- An ADMIN without a list has every client.
    if link_document.client_id <> all (app.client_access()) and pg_catalog.current_setting('role') <> 'taxclaims_admin' then
        raise exception 'no access to client %', link_document.client_id using errcode = 'insufficient_privilege';
    end if;
    insert into app.document_links (
        digest, document_id, client_id, subject, user_id, role, issued_at, access_digest, expires_at
    )
    values (
        link_document.digest,
        link_document.document_id,
        link_document.client_id,
        app.setting('actor'),
        app.user_id(),
        app.role(),
        link_document.issued_at,
        link_document.access_digest,
        ends
    );
    return ends;
end
$function$;

comment on function app.link_document(text, uuid, uuid, timestamp with time zone, text) is
    'Keeps the digest of the secret of an address of a document, with the caller''s rights, and returns its end.';
grant execute on function app.link_document(text, uuid, uuid, timestamp with time zone, text) to taxclaims_client, taxclaims_admin;

create or replace function app.document_link(digest text, document_id uuid)
    returns table (
        subject text, user_id uuid, role text, client_id uuid, issued_at timestamp with time zone, access_digest text
    )
    language sql stable security definer set search_path = ''
begin atomic
    select l.subject, l.user_id, l.role, l.client_id, l.issued_at, l.access_digest
    from app.document_links as l
    where l.digest = document_link.digest
        and l.document_id = document_link.document_id
        and l.expires_at > pg_catalog.now();
end;

comment on function app.document_link(text, uuid) is
    'Who made the address of this document with this digest, and with which rights; none once it is over.';
grant execute on function app.document_link(text, uuid) to taxclaims_api;
