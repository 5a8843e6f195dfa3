-- The two files of 0036 were published in two forms, of which the first had fewer signs between words. Here are those of the
-- second, and emoji, their variants and a byte order mark. Whatever a database has had, it has the same words afterwards.
set local row_security = off;

create or replace function app.words(text text)
    returns tsvector
    language plpgsql immutable strict parallel safe set search_path = ''
as $function$
begin
    -- Postgres refuses words of more than 2,046 bytes.
    if pg_catalog.octet_length(text) > 2000 then
        text := pg_catalog.regexp_replace(
            text,
            '([^\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3020\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]{200})[^\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3020\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]+',
            '\1', 'g'
        );
    end if;
    return pg_catalog.array_to_tsvector(
        pg_catalog.array_remove(
            pg_catalog.regexp_split_to_array(text, '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3020\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]+'), ''
        )
    );
end
$function$;

alter table public.reclamations no force row level security;
alter table app.claim_words no force row level security;

-- Only words with a sign that one of the two forms took for a part of a word. Of texts that are cut such words may be gone.
update app.claim_words as w
set words = app.words(r.search_text)
from public.reclamations as r
where r.id = w.id
    and (
        w.words::text ~ '[\u00d7\u00f7\u2070-\u2bff\u3000-\u3020\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]'
        or (
            pg_catalog.octet_length(r.search_text) > 2000
            and r.search_text ~ '[\u00d7\u00f7\u2070-\u2bff\u3000-\u3020\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]'
            and w.words <> app.words(r.search_text)
        )
    );

alter table public.reclamations force row level security;
alter table app.claim_words force row level security;

reindex index public.clients_words_idx;
reindex index public.sites_words_idx;

set local row_security = on;
