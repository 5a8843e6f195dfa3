create or replace function app.store_claim_words()
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

comment on function app.store_claim_words() is
    'Trigger of reclamations that stores the words of each claim in app.claim_words, for searches.';
grant execute on function app.store_claim_words() to taxclaims_owner;

-- app.found_claims finds every claim that contains all searched words, and possibly other claims. The query that calls
-- app.found_claims compares each of these claims with the searched words, under the caller's own policies. Some
-- searched words may occur in a claim's texts and the others in the name of its client or site, so app.found_claims
-- tries each division of the words between texts and names.
create or replace function app.found_claims(words text[])
    returns uuid[]
    language plpgsql stable security definer parallel restricted
    set search_path = '' set enable_seqscan = off set plan_cache_mode = force_custom_plan set work_mem = '64MB'
as $function$
declare
    max_claims constant integer := 10000;
    has_every_client constant boolean := pg_catalog.current_setting('role') = 'taxclaims_admin';
    caller_clients constant uuid[] := app.client_access();
    searched_words constant text[] := array(
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
    client_word_bits integer[];
    sites uuid[];
    site_word_bits integer[];
    text_query tsquery;
    matching_clients uuid[];
    matching_sites uuid[];
begin
    if searched_words = '{}' then
        return null;
    end if;
    -- In word_bits, each bit stands for one searched word and is 1 if the name of a client or site contains the word.
    -- The word_bits of a site include those of its client.
    select pg_catalog.array_agg(n.id), pg_catalog.array_agg(n.word_bits)
    into clients, client_word_bits
    from (
        select c.id, pg_catalog.bit_or(1 << (w.n::integer - 1)) as word_bits
        from pg_catalog.unnest(searched_words) with ordinality as w (word, n)
        join public.clients as c on app.words(pg_catalog.split_part(c.search_text, pg_catalog.chr(31), 1)) @@ ('''' || w.word || ''':*')::tsquery
        where has_every_client or c.id in (select pg_catalog.unnest(caller_clients))
        group by c.id
    ) as n;
    select pg_catalog.array_agg(n.id), pg_catalog.array_agg(n.word_bits | coalesce(c.word_bits, 0))
    into sites, site_word_bits
    from (
        select s.id, s.client_id, pg_catalog.bit_or(1 << (w.n::integer - 1)) as word_bits
        from pg_catalog.unnest(searched_words) with ordinality as w (word, n)
        join public.sites as s on app.words(pg_catalog.split_part(s.search_text, pg_catalog.chr(31), 1)) @@ ('''' || w.word || ''':*')::tsquery
        where has_every_client or s.client_id in (select pg_catalog.unnest(caller_clients))
        group by s.id
    ) as n
    left join rows from (pg_catalog.unnest(clients), pg_catalog.unnest(client_word_bits)) as c (id, word_bits) on c.id = n.client_id;
    for words_in_names in 0 .. (1 << pg_catalog.cardinality(searched_words)) - 1 loop
        -- If a longer word is searched, app.found_claims skips words of one or two letters, for which the search is
        -- slow.
        select coalesce(
            pg_catalog.string_agg('''' || w.word || ''':*', ' & ') filter (where pg_catalog.length(w.word) > 2),
            pg_catalog.string_agg('''' || w.word || ''':*', ' & ')
        )::tsquery
        into text_query
        from pg_catalog.unnest(searched_words) with ordinality as w (word, n)
        where words_in_names >> (w.n::integer - 1) & 1 = 0;
        matching_clients := array(select c.id from rows from (pg_catalog.unnest(clients), pg_catalog.unnest(client_word_bits)) as c (id, word_bits) where c.word_bits & words_in_names = words_in_names);
        matching_sites := array(select s.id from rows from (pg_catalog.unnest(sites), pg_catalog.unnest(site_word_bits)) as s (id, word_bits) where s.word_bits & words_in_names = words_in_names);
        continue when words_in_names > 0 and matching_clients = '{}' and matching_sites = '{}';
        found := found || array(
            select r.id
            from public.reclamations as r
            join app.claim_words as w on w.id = r.id
            where (text_query is null or w.words @@ text_query)
                and (has_every_client or w.client_id in (select pg_catalog.unnest(caller_clients)))
                and (words_in_names = 0 or r.client_id = any (matching_clients) or r.site_id = any (matching_sites))
            limit max_claims + 1
        );
        if pg_catalog.cardinality(found) > max_claims then
            return null;
        end if;
    end loop;
    return array(select distinct f.id from pg_catalog.unnest(found) as f (id));
end
$function$;

comment on function app.found_claims(text[]) is
    'Returns the ids of the caller''s claims that may contain all searched words, each as the beginning of a word, in '
    'their texts or in the names of their client or site. Returns null if more than 10,000 claims are found.';
grant execute on function app.found_claims(text[]) to taxclaims_client, taxclaims_admin;
