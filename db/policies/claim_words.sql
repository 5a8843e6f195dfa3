-- Only functions read or write the search words of claims: a trigger of claims writes them through
-- app.store_claim_words, and app.found_claims reads them for a search.
grant
    select (id, client_id, words),
    insert (id, client_id, words),
    update (words)
on app.claim_words to taxclaims_definer;
create policy claim_words_select_definer on app.claim_words for select to taxclaims_definer using (true);
create policy claim_words_insert_definer on app.claim_words for insert to taxclaims_definer
    with check (pg_catalog.pg_trigger_depth() > 0);
create policy claim_words_update_definer on app.claim_words for update to taxclaims_definer
    using (pg_catalog.pg_trigger_depth() > 0)
    with check (pg_catalog.pg_trigger_depth() > 0);
