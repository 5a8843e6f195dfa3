-- A step back restores what the move before it took from a claim.
alter table public.reclamation_history
    add column court_before jsonb;
