comment on table app.claim_words is
    'Words of the claims'' texts, so that a search finds a claim by the beginnings of words. A trigger of '
    'public.reclamations writes this table.';
comment on column app.claim_words.words is 'Words of search_text in public.reclamations, as app.words returns them.';
