create or replace trigger reclamations_index_new_words
    after insert on public.reclamations
    for each row execute function app.store_claim_words();

create or replace trigger reclamations_index_changed_words
    after update on public.reclamations
    for each row
    when (old.search_text is distinct from new.search_text)
    execute function app.store_claim_words();
