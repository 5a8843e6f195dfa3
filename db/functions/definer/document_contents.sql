-- The store knows paths, the database knows rows; app.content_removals lists the paths to remove.

-- One hour is longer than any upload or statement.
create or replace function app.plan_removal(file_path text)
    returns void
    language sql volatile security definer set search_path = ''
begin atomic
    insert into app.content_removals (file_path, due_at)
    values (plan_removal.file_path, pg_catalog.now() + interval '1 hour');
end;

comment on function app.plan_removal(text) is
    'Plans the removal of a content in an hour, before its upload. The document''s row cancels it.';
grant execute on function app.plan_removal(text) to taxclaims_api;

create or replace function app.due_removals(most integer)
    returns setof text
    language sql stable security definer set search_path = ''
begin atomic
    select c.file_path
    from app.content_removals as c
    where c.due_at <= pg_catalog.now()
        -- A look-up for each path stops at the limit; `not exists` would read all documents.
        and (select d.file_path from public.documents as d where d.file_path = c.file_path) is null
    order by c.due_at
    limit due_removals.most;
end;

comment on function app.due_removals(integer) is
    'Paths of contents to remove now, at most `most`; none that a document has.';
grant execute on function app.due_removals(integer) to taxclaims_api;

create or replace function app.overdue_removals()
    returns table (contents bigint, oldest_seconds double precision)
    language sql stable security definer set search_path = ''
begin atomic
    select
        pg_catalog.count(*),
        coalesce(extract(epoch from pg_catalog.now() - pg_catalog.min(c.due_at)), 0)::double precision
    from app.content_removals as c
    where c.due_at <= pg_catalog.now();
end;

comment on function app.overdue_removals() is 'Number of due removals, and the age of the oldest in seconds.';
grant execute on function app.overdue_removals() to taxclaims_api;

create or replace function app.complete_removals(file_paths text[])
    returns void
    language sql volatile security definer set search_path = ''
begin atomic
    delete from app.content_removals as c
    where c.file_path = any (complete_removals.file_paths);
end;

comment on function app.complete_removals(text[]) is 'Deletes the plans of removed contents.';
grant execute on function app.complete_removals(text[]) to taxclaims_api;

-- For documents:check, in S3's order of listing.
create or replace function app.contents_of_documents()
    returns table (document_id uuid, file_path text, file_size bigint)
    language sql stable security definer set search_path = ''
begin atomic
    select d.id, d.file_path::text, d.file_size::bigint
    from public.documents as d
    order by d.file_path collate "C";
end;

comment on function app.contents_of_documents() is
    'Path and size in bytes of each document''s content, ordered by the bytes of the path. Does not tell the client.';
grant execute on function app.contents_of_documents() to taxclaims_api;

-- In pages, since reading the contents takes hours and a transaction must not.
create or replace function app.digests_of_documents(after uuid, most integer)
    returns table (document_id uuid, file_path text, file_size bigint, sha256 bytea)
    language sql stable security definer set search_path = ''
begin atomic
    select d.id, d.file_path::text, d.file_size::bigint, d.sha256
    from public.documents as d
    where d.id > digests_of_documents.after
    order by d.id
    limit digests_of_documents.most;
end;

comment on function app.digests_of_documents(uuid, integer) is
    'The path, the length and the digest of the content of so many documents, in the order of their ids; it says '
    'nothing of whose they are.';
grant execute on function app.digests_of_documents(uuid, integer) to taxclaims_api;

create or replace function app.keep_digest(document_id uuid, sha256 bytea)
    returns void
    language sql volatile security definer set search_path = ''
begin atomic
    update public.documents as d
    set sha256 = keep_digest.sha256
    where d.id = keep_digest.document_id and d.sha256 is null;
end;

comment on function app.keep_digest(uuid, bytea) is
    'Gives a document from before digests were kept the digest of its content; one that has a digest keeps it.';
grant execute on function app.keep_digest(uuid, bytea) to taxclaims_api;

-- A content with neither has no owner: an upload is planned for removal until its row exists.
create or replace function app.standing_of_contents(file_paths text[])
    returns table (file_path text, has_document boolean, is_planned boolean)
    language sql stable security definer set search_path = ''
begin atomic
    select
        p.file_path,
        (select d.file_path from public.documents as d where d.file_path = p.file_path) is not null,
        (select c.file_path from app.content_removals as c where c.file_path = p.file_path) is not null
    from pg_catalog.unnest(standing_of_contents.file_paths) as p (file_path);
end;

comment on function app.standing_of_contents(text[]) is
    'For each of these paths whether a document has it, and whether its removal is planned, as it is while an upload '
    'is under way.';
grant execute on function app.standing_of_contents(text[]) to taxclaims_api;

-- Also for a cascade, a truncate and a DBA at psql.
create or replace function app.track_content()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    case tg_op
        when 'INSERT' then
            delete from app.content_removals as c where c.file_path = new.file_path;
        when 'DELETE' then
            insert into app.content_removals (file_path, due_at)
            values (old.file_path, pg_catalog.now())
            on conflict do nothing;
        when 'TRUNCATE' then
            insert into app.content_removals (file_path, due_at)
            select d.file_path, pg_catalog.now()
            from public.documents as d
            on conflict do nothing;
    end case;
    return null;
end
$function$;

comment on function app.track_content() is
    'Trigger of documents: an insert cancels the removal of its content, a delete plans it.';
grant execute on function app.track_content() to taxclaims_owner;
