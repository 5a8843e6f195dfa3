-- The document store knows only paths, and the database knows the documents. app.content_removals lists the paths
-- that the store must delete.

-- One hour is longer than any upload or statement.
create or replace function app.plan_removal(file_path text)
    returns void
    language sql volatile security definer set search_path = ''
begin atomic
    insert into app.content_removals (file_path, due_at)
    values (plan_removal.file_path, pg_catalog.now() + interval '1 hour');
end;

comment on function app.plan_removal(text) is
    'Plans the removal of a file in an hour, before its upload starts. The insert of the document cancels the plan.';
grant execute on function app.plan_removal(text) to taxclaims_api;

create or replace function app.due_removals(most integer)
    returns setof text
    language sql stable security definer set search_path = ''
begin atomic
    select c.file_path
    from app.content_removals as c
    where c.due_at <= pg_catalog.now()
        -- The look-up of a document runs for each path and stops at the limit. `not exists` would read all documents.
        and (select d.file_path from public.documents as d where d.file_path = c.file_path) is null
    order by c.due_at
    limit due_removals.most;
end;

comment on function app.due_removals(integer) is
    'Paths of at most `most` files to remove now. No document has a path that app.content_removals lists for removal.';
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

comment on function app.complete_removals(text[]) is 'Deletes the plans of removed files.';
grant execute on function app.complete_removals(text[]) to taxclaims_api;

-- documents:check compares this list with the store, in the order in which S3 lists paths.
create or replace function app.contents_of_documents()
    returns table (document_id uuid, file_path text, file_size bigint)
    language sql stable security definer set search_path = ''
begin atomic
    select d.id, d.file_path::text, d.file_size::bigint
    from public.documents as d
    order by d.file_path collate "C";
end;

comment on function app.contents_of_documents() is
    'Path and size in bytes of each document''s file, ordered by the bytes of the path. The function does not return '
    'the client.';
grant execute on function app.contents_of_documents() to taxclaims_api;

-- The caller reads page by page, because the check of all contents takes hours and one transaction must not take so
-- long.
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
    'Path, size and digest of the files of so many documents, in the order of their ids. The function does not return '
    'the client.';
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
    'Stores the digest of the file of an older document that has none. An existing digest is not changed.';
grant execute on function app.keep_digest(uuid, bytea) to taxclaims_api;

-- A content without a document and without a planned removal is orphaned. During an upload the removal is planned
-- until the document exists.
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
    'For each path: whether a document has it, and whether its removal is planned, as during an upload.';
grant execute on function app.standing_of_contents(text[]) to taxclaims_api;

-- The trigger also covers cascades, truncates and changes by a DBA at psql.
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
    'Trigger of documents: an insert cancels the removal of the file, a delete plans it.';
grant execute on function app.track_content() to taxclaims_owner;
