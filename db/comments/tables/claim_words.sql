comment on table app.claim_words is
    'Words in the searchable text of each claim, so that a search for the beginning of a word finds the claim. '
    'A trigger of public.reclamations writes this table.';
comment on column app.claim_words.words is 'Words of search_text in public.reclamations, as app.words returns them.';
