-- The rest of the words, in the transaction that makes their trigger: nobody writes claims meanwhile.
create function app.words(text text)
    returns tsvector
    language plpgsql immutable strict parallel safe set search_path = ''
as $function$
begin
    -- Postgres refuses words of more than 2,046 bytes.
    if pg_catalog.octet_length(text) > 2000 then
        text := pg_catalog.regexp_replace(
            text,
            '([^\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3020]{200})[^\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3020]+',
            '\1', 'g'
        );
    end if;
    return pg_catalog.array_to_tsvector(
        pg_catalog.array_remove(
            pg_catalog.regexp_split_to_array(text, '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3020]+'), ''
        )
    );
end
$function$;
grant execute on function app.words(text) to
    taxclaims_client, taxclaims_tax_specialist, taxclaims_account_manager, taxclaims_scoped_admin, taxclaims_admin, taxclaims_definer;

alter table public.reclamations no force row level security;
alter table app.claim_words no force row level security;

delete from app.claim_words as w
where not exists (select from public.reclamations as r where r.id = w.id and r.xmin = w.filled_from);
insert into app.claim_words (id, client_id, words)
select r.id, r.client_id, app.words(r.search_text)
from public.reclamations as r
where not exists (select from app.claim_words as w where w.id = r.id);
alter table app.claim_words
    drop column filled_from,
    add constraint claim_words_reclamation foreign key (id, client_id)
        references public.reclamations (id, client_id) on update cascade on delete cascade;

alter table public.reclamations force row level security;
alter table app.claim_words force row level security;

create index clients_words_idx on public.clients using gin (app.words(pg_catalog.split_part(search_text, pg_catalog.chr(31), 1)))
    with (gin_pending_list_limit = 512);
create index sites_words_idx on public.sites using gin (app.words(pg_catalog.split_part(search_text, pg_catalog.chr(31), 1)))
    with (gin_pending_list_limit = 512);
