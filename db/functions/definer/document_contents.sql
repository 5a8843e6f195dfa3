-- Which contents the document store must lose. The store knows paths and nothing of rows, the database rows and
-- nothing of files: app.content_removals is what they agree on.

-- An hour is longer than any upload and any statement may take.
create or replace function app.plan_removal(file_path text)
    returns void
    language sql volatile security definer set search_path = ''
begin atomic
    insert into app.content_removals (file_path, due_at)
    values (plan_removal.file_path, pg_catalog.now() + interval '1 hour');
end;

comment on function app.plan_removal(text) is
    'Notes a content that is about to be put into the document store; it is removed after an hour unless its '
    'document''s row follows.';
grant execute on function app.plan_removal(text) to taxclaims_api;

create or replace function app.due_removals(most integer)
    returns setof text
    language sql stable security definer set search_path = ''
begin atomic
    select c.file_path
    from app.content_removals as c
    where c.due_at <= pg_catalog.now()
        -- One look-up for each path in turn, until there are enough: `not exists` reads every document first.
        and (select d.file_path from public.documents as d where d.file_path = c.file_path) is null
    order by c.due_at
    limit due_removals.most;
end;

comment on function app.due_removals(integer) is
    'The contents to remove now, at most so many; never one that a document has.';
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
    'How many contents the document store must still lose, and for how many seconds the oldest has been due.';
grant execute on function app.overdue_removals() to taxclaims_api;

create or replace function app.complete_removals(file_paths text[])
    returns void
    language sql volatile security definer set search_path = ''
begin atomic
    delete from app.content_removals as c
    where c.file_path = any (complete_removals.file_paths);
end;

comment on function app.complete_removals(text[]) is 'Forgets contents that the document store has removed.';
grant execute on function app.complete_removals(text[]) to taxclaims_api;

-- For `documents:check`: in the order of a listing of S3, whatever the database's own is.
create or replace function app.contents_of_documents()
    returns table (document_id uuid, file_path text, file_size bigint)
    language sql stable security definer set search_path = ''
begin atomic
    select d.id, d.file_path::text, d.file_size::bigint
    from public.documents as d
    order by d.file_path collate "C";
end;

comment on function app.contents_of_documents() is
    'The path and the length of the content of every document, in the order of their bytes; it says nothing of whose '
    'they are.';
grant execute on function app.contents_of_documents() to taxclaims_api;

-- The same with digests, in pages: contents are read for hours, and no transaction may last as long.
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
    'The path, the length and the digest of the content of so many documents, in the order of their ids; it says nothing '
    'of whose they are.';
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

-- One that is neither has nobody: an upload is planned for removal before its content is there, and until its row is.
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
    'For each of these paths whether a document has it, and whether its removal is planned, as it is while an upload is '
    'under way.';
grant execute on function app.standing_of_contents(text[]) to taxclaims_api;

-- Whoever deletes and by whatever way: a cascade, a DBA at psql, a truncate.
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
    'Trigger of documents: a new row keeps its content, a deleted one makes it due for removal.';
grant execute on function app.track_content() to taxclaims_owner;
