-- A cascade of the foreign key deletes the words.
create or replace function app.keep_words()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    insert into app.claim_words (id, client_id, words)
    values (new.id, new.client_id, app.words(new.search_text))
    on conflict (id) do update set words = excluded.words;
    return null;
end
$function$;

comment on function app.keep_words() is 'Trigger of reclamations: writes app.claim_words.';
grant execute on function app.keep_words() to taxclaims_owner;

-- Finds every claim that has all of these words, and some that have not: the caller compares each again, under its
-- policies. A word may be in a claim's own text or in the name of its client or site. Each way to share the words out
-- between texts and names is searched by itself.
create or replace function app.found_claims(words text[])
    returns uuid[]
    language plpgsql stable security definer parallel restricted
    set search_path = '' set enable_seqscan = off set plan_cache_mode = force_custom_plan set work_mem = '64MB'
as $function$
declare
    most constant integer := 10000;
    is_everybody constant boolean := pg_catalog.current_setting('role') = 'taxclaims_admin';
    mine constant uuid[] := app.client_access();
    asked constant text[] := array(
        select w.word
        from (
            select distinct pg_catalog.left(u.lexeme, 200) as word
            from pg_catalog.unnest(app.words(app.searchable(pg_catalog.array_to_string(found_claims.words, ' ')))) as u
        ) as w
        order by pg_catalog.length(w.word) desc, w.word
        limit 3
    );
    found uuid[] := '{}';
    clients uuid[];
    clients_have integer[];
    sites uuid[];
    sites_have integer[];
    in_texts tsquery;
    of_clients uuid[];
    of_sites uuid[];
begin
    if asked = '{}' then
        return null;
    end if;
    -- As bits, which of the words a name has; a site's with its client's.
    select pg_catalog.array_agg(n.id), pg_catalog.array_agg(n.has)
    into clients, clients_have
    from (
        select c.id, pg_catalog.bit_or(1 << (w.n::integer - 1)) as has
        from pg_catalog.unnest(asked) with ordinality as w (word, n)
        join public.clients as c on app.words(pg_catalog.split_part(c.search_text, pg_catalog.chr(31), 1)) @@ ('''' || w.word || ''':*')::tsquery
        where is_everybody or c.id in (select pg_catalog.unnest(mine))
        group by c.id
    ) as n;
    select pg_catalog.array_agg(n.id), pg_catalog.array_agg(n.has | coalesce(c.has, 0))
    into sites, sites_have
    from (
        select s.id, s.client_id, pg_catalog.bit_or(1 << (w.n::integer - 1)) as has
        from pg_catalog.unnest(asked) with ordinality as w (word, n)
        join public.sites as s on app.words(pg_catalog.split_part(s.search_text, pg_catalog.chr(31), 1)) @@ ('''' || w.word || ''':*')::tsquery
        where is_everybody or s.client_id in (select pg_catalog.unnest(mine))
        group by s.id
    ) as n
    left join rows from (pg_catalog.unnest(clients), pg_catalog.unnest(clients_have)) as c (id, has) on c.id = n.client_id;
    for named in 0 .. (1 << pg_catalog.cardinality(asked)) - 1 loop
        -- Short beginnings are slow to look up, and leave little out beside longer ones.
        select coalesce(
            pg_catalog.string_agg('''' || w.word || ''':*', ' & ') filter (where pg_catalog.length(w.word) > 2),
            pg_catalog.string_agg('''' || w.word || ''':*', ' & ')
        )::tsquery
        into in_texts
        from pg_catalog.unnest(asked) with ordinality as w (word, n)
        where named >> (w.n::integer - 1) & 1 = 0;
        of_clients := array(select c.id from rows from (pg_catalog.unnest(clients), pg_catalog.unnest(clients_have)) as c (id, has) where c.has & named = named);
        of_sites := array(select s.id from rows from (pg_catalog.unnest(sites), pg_catalog.unnest(sites_have)) as s (id, has) where s.has & named = named);
        continue when named > 0 and of_clients = '{}' and of_sites = '{}';
        found := found || array(
            select r.id
            from public.reclamations as r
            join app.claim_words as w on w.id = r.id
            where (in_texts is null or w.words @@ in_texts)
                and (is_everybody or w.client_id in (select pg_catalog.unnest(mine)))
                and (named = 0 or r.client_id = any (of_clients) or r.site_id = any (of_sites))
            limit most + 1
        );
        if pg_catalog.cardinality(found) > most then
            return null;
        end if;
    end loop;
    return array(select distinct f.id from pg_catalog.unnest(found) as f (id));
end
$function$;

comment on function app.found_claims(text[]) is
    'Ids of the claims of the caller''s clients that may have each of these words at the beginning of a word, in their '
    'texts or the names of their client or site; null for more than 10,000.';
grant execute on function app.found_claims(text[]) to taxclaims_client, taxclaims_admin;
