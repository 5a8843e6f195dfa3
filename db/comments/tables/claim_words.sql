comment on table app.claim_words is
    'Words of the claims'' texts, for searches by their beginnings. A trigger of public.reclamations writes it.';
comment on column app.claim_words.words is 'Words of search_text in public.reclamations, by app.words.';
