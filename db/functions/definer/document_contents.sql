-- The document store (a folder or S3) has only files with paths; the database says which document has which path. The
-- table app.content_removals lists the paths of files that the service must delete from the store.

-- A removal is planned an hour ahead, and no upload takes an hour, so no file is removed during its upload.
create or replace function app.plan_removal(file_path text)
    returns void
    language sql volatile security definer set search_path = ''
begin atomic
    insert into app.content_removals (file_path, due_at)
    values (plan_removal.file_path, pg_catalog.now() + interval '1 hour');
end;

comment on function app.plan_removal(text) is
    'Plans that the service removes a file after one hour. The service calls app.plan_removal before it uploads the '
    'file. The insert of the file''s document cancels the planned removal.';
grant execute on function app.plan_removal(text) to taxclaims_api;

create or replace function app.due_removals(most integer)
    returns setof text
    language sql stable security definer set search_path = ''
begin atomic
    select c.file_path
    from app.content_removals as c
    where c.due_at <= pg_catalog.now()
        -- Postgres looks up one path after another and stops after `most` paths. `not exists` would make Postgres read
        -- all documents.
        and (select d.file_path from public.documents as d where d.file_path = c.file_path) is null
    order by c.due_at
    limit due_removals.most;
end;

comment on function app.due_removals(integer) is
    'Returns the paths of at most `most` files that are due for removal and belong to no document.';
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

comment on function app.overdue_removals() is
    'Returns the number of files that are due for removal, and for how many seconds the oldest removal has been due.';
grant execute on function app.overdue_removals() to taxclaims_api;

create or replace function app.complete_removals(file_paths text[])
    returns void
    language sql volatile security definer set search_path = ''
begin atomic
    delete from app.content_removals as c
    where c.file_path = any (complete_removals.file_paths);
end;

comment on function app.complete_removals(text[]) is 'Deletes the paths of removed files from app.content_removals.';
grant execute on function app.complete_removals(text[]) to taxclaims_api;

-- npm run documents:check compares the paths of all documents with the store, in the order in which S3 lists paths.
create or replace function app.contents_of_documents()
    returns table (document_id uuid, file_path text, file_size bigint)
    language sql stable security definer set search_path = ''
begin atomic
    select d.id, d.file_path::text, d.file_size::bigint
    from public.documents as d
    order by d.file_path collate "C";
end;

comment on function app.contents_of_documents() is
    'Returns the path and the size in bytes of each document''s file, ordered by the bytes of the path.';
grant execute on function app.contents_of_documents() to taxclaims_api;

-- npm run documents:check may take hours, so it reads the documents in pages, each in its own transaction.
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
    'Returns path, size and digest of the files of at most `most` documents, in the order of the documents'' ids.';
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
    'Stores the digest of a document''s file, unless the document already has a digest.';
grant execute on function app.keep_digest(uuid, bytea) to taxclaims_api;

-- A file without a document and without a planned removal is an orphan. During the upload of a file, its removal is
-- planned until the document exists.
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
    'Returns for each path whether a document has it, and whether the removal of the file is planned.';
grant execute on function app.standing_of_contents(text[]) to taxclaims_api;

-- app.update_content_removals also runs for cascaded deletes, for truncates, and for statements of a DBA in psql.
create or replace function app.update_content_removals()
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

comment on function app.update_content_removals() is
    'Trigger of documents: the insert of a document cancels the removal of its file, and the delete of a document '
    'plans the removal.';
grant execute on function app.update_content_removals() to taxclaims_owner;
