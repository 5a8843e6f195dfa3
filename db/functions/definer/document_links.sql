-- A document link is an address that downloads one document without a token, for one minute. A caller can create a link
-- to a document that the caller may read.

create or replace function app.link_document(
    digest text, document_id uuid, client_id uuid, issued_at timestamp with time zone, access_digest text
)
    returns timestamp with time zone
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    end_of_link constant timestamp with time zone := pg_catalog.now() + interval '1 minute';
begin
    if link_document.client_id <> all (app.client_access()) and pg_catalog.current_setting('role') <> 'taxclaims_admin' then
        raise exception 'no access to client %', link_document.client_id using errcode = 'insufficient_privilege';
    end if;
    perform app.hold_caller(app.setting('actor'), app.user_id());
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
        end_of_link
    );
    return end_of_link;
end
$function$;

comment on function app.link_document(text, uuid, uuid, timestamp with time zone, text) is
    'Stores the digest of the secret in a download address together with the caller''s rights, and returns the time at '
    'which the address stops working.';
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
    'Returns the user who made the download address with the given digest, and the user''s rights; no row if the '
    'address no longer works.';
grant execute on function app.document_link(text, uuid) to taxclaims_api;
