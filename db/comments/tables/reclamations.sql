comment on table public.reclamations is
    'Claims to the tax administration against a tax bill. Each claim is about one commune, one tax and one year. The '
    'table reclamation_transitions lists the allowed status changes; reclamation_history lists those that were made.';
comment on column public.reclamations.site_id is 'The taxed site, which belongs to the client of the claim.';
comment on column public.reclamations.claim_type is
    'Tax that is claimed back, TF (taxe foncière, on property) or CFE (cotisation foncière des entreprises).';
comment on column public.reclamations.amount is 'Relief that is claimed (dégrèvement demandé), in euros.';
comment on column public.reclamations.status is
    'Status of the claim, DRAFT at first. The table reclamation_transitions lists the allowed status changes. GET '
    '/api/reclamations/{id}/moves returns the status changes that the caller can make now.';
comment on column public.reclamations.tax_year is
    'Year of the tax (année d''imposition); it can differ from the year of the claim. Null if unknown.';
comment on column public.reclamations.notice_reference is
    'Reference on the tax notice (avis d''imposition); null if unknown.';
comment on column public.reclamations.collection_date is
    'Day on which the tax became collectable (mise en recouvrement); null if unknown.';
comment on column public.reclamations.claim_deadline is
    'Last day to claim (délai de réclamation): 31 December of the year after collection_date (LPF R*196-2). The '
    'database computes claim_deadline, which is null without collection_date.';
comment on column public.reclamations.submitted_at is
    'Time at which the claim was first sent to the tax administration; null for a claim that was never sent.';
comment on column public.reclamations.response_due_at is
    'End of the time in which the administration must answer, six months after submitted_at, in UTC. If the '
    'administration has not answered by this time, the client can go to court (LPF R*198-10). The database computes '
    'response_due_at, which is null before the claim is sent.';
comment on column public.reclamations.decision_date is
    'Day of the administration''s decision; null before the decision.';
comment on column public.reclamations.court_deadline is
    'Last day to go to the administrative court (délai de recours), two months after an express rejection (LPF '
    'R*199-1). Users enter court_deadline; null until a user enters it.';
comment on column public.reclamations.granted_amount is
    'Relief granted (dégrèvement) in euros, at most amount; null before a decision, 0 if nothing was granted.';
comment on column public.reclamations.refund_amount is
    'Refund in euros, with interest (LPF L208), so it may exceed granted_amount; null before the refund.';
comment on column public.reclamations.grounds is 'Reasons that the claim gives; null if none.';
comment on column public.reclamations.assignee_id is
    'User who works on the claim. The user must be active and have access to the client when the claim is assigned. If '
    'a user loses access to the client, the claim loses this assignee. assignee_id is null if nobody is assigned.';
