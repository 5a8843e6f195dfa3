-- In a transaction of its own: the index is built in a lock that lets everybody read meanwhile.
-- GET /api/reclamations/summary also counts by site, by assignee, and by month of what was submitted, decided or runs out;
-- lists are sorted by the names of sites and assignees. All of it is read from the index of a client's claims, and not from
-- the claims. No change costs more for it: each of these columns has an index already, or changes along with the status.
create index reclamations_counted_idx on public.reclamations (client_id, created_at desc, id desc)
    include (
        status, claim_type, tax_year, amount, granted_amount, refund_amount,
        site_id, assignee_id, submitted_at, decision_date, claim_deadline
    );
