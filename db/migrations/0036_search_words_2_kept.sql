-- The rest of the words, in the transaction that makes their trigger: nobody writes claims meanwhile.
alter table public.reclamations no force row level security;

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
alter table app.claim_words enable row level security;
alter table app.claim_words force row level security;

create index clients_words_idx on public.clients using gin (app.words(pg_catalog.split_part(search_text, pg_catalog.chr(31), 1)))
    with (gin_pending_list_limit = 512);
create index sites_words_idx on public.sites using gin (app.words(pg_catalog.split_part(search_text, pg_catalog.chr(31), 1)))
    with (gin_pending_list_limit = 512);
