-- The newest claims of a client are found by an index that now has all that GET /api/reclamations/summary counts by and adds
-- up: the claims themselves are some hundred bytes wide and lie scattered by time, so that reading those of many clients is
-- reading nearly every page. A claim that moves, or whose amounts change, is entered into all its indexes anew.
drop index public.reclamations_client_id_idx;
create index reclamations_client_id_idx on public.reclamations (client_id, created_at desc, id desc)
    include (status, claim_type, tax_year, amount, granted_amount, refund_amount);
