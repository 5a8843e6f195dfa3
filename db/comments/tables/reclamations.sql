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
comment on column public.reclamations.deadline_basis is
    'Event from which claim_deadline runs, if not collection_date: an event that founds the claim (EVENT), a new notice '
    '(NEW_NOTICE), certain knowledge of a wrong tax (KNOWLEDGE) or a payment without a roll (PAYMENT; LPF R*196-2 b to '
    'e), vacancy (VACANCY, R*196-5), or a reassessment (REASSESSMENT, R*196-3). Null for collection_date (R*196-2 a).';
comment on column public.reclamations.claim_deadline is
    'Last day to claim (délai de réclamation). Without deadline_basis the database derives claim_deadline: 31 December '
    'of the year after collection_date (LPF R*196-2 a), null without collection_date; another day is refused. With '
    'deadline_basis users enter claim_deadline; null until then.';
comment on column public.reclamations.submitted_at is
    'Time at which the claim was first sent to the tax administration; null for a claim that was never sent.';
comment on column public.reclamations.submitted_amount is
    'Value of amount when the claim was first sent to the tax administration, in euros; null for a claim that was never '
    'sent, and for claims that were sent before this column existed.';
comment on column public.reclamations.received_on is
    'Day on which the administration received the claim (récépissé), from which the time to answer runs (LPF '
    'R*198-10); null if unknown.';
comment on column public.reclamations.response_extended is
    'True if the administration said that it takes three more months, nine instead of six (LPF R*198-10).';
comment on column public.reclamations.response_due_at is
    'Last second of the day by which the administration must answer, in Europe/Paris: six months after received_on, '
    'nine if response_extended (LPF R*198-10). Without received_on it is an estimate, counted from submitted_at. From '
    'then on the client can go to court at any time (R*199-1). The database derives response_due_at and refuses '
    'another time; null before the claim is sent.';
comment on column public.reclamations.regularisation_asked_on is
    'Day on which the administration''s letter that asks for a missing signature or mandate was received (LPF R*197-3 '
    'c); null if there is none.';
comment on column public.reclamations.regularisation_due_on is
    'Last day to complete the claim, 30 days after regularisation_asked_on (LPF R*197-3 c). The database derives '
    'regularisation_due_on and refuses another day; null without regularisation_asked_on.';
comment on column public.reclamations.decision_date is
    'Day of the administration''s decision, as the letter says; null before the decision.';
comment on column public.reclamations.decision_received_on is
    'Day on which the taxpayer received the decision, from which court_deadline runs (LPF R*199-1); null if unknown.';
comment on column public.reclamations.court_deadline is
    'Last day to go to the administrative court (délai de recours): two full months after decision_received_on (LPF '
    'R*199-1, délai franc), or the next working day. The database derives court_deadline unless a user enters another '
    'day; null if decision_received_on is unknown. The request must be registered by then.';
comment on column public.reclamations.instance is
    'Court before which the claim is, or that judged last: TA (tribunal administratif), CAA (cour administrative '
    'd''appel) or CE (Conseil d''État); null if no court was asked.';
comment on column public.reclamations.judgment_notified_on is
    'Day on which the judgment of the court in instance was notified, from which appeal_deadline runs; null if unknown.';
comment on column public.reclamations.appeal_deadline is
    'Last day to go to the next court (CJA R811-1, R811-2, R821-1): two full months after judgment_notified_on, or the '
    'next working day. The next court is the Conseil d''État for TF and after the CAA, the CAA for CFE after the TA. '
    'The database derives appeal_deadline unless a user enters another day; null if judgment_notified_on is unknown, '
    'and after the Conseil d''État.';
comment on column public.reclamations.granted_amount is
    'Relief granted (dégrèvement) in euros, at most amount; null before a decision, 0 if nothing was granted.';
comment on column public.reclamations.refund_amount is
    'Refund in euros, with interest if refund_interest does not state it, so it may exceed granted_amount; null before '
    'the refund.';
comment on column public.reclamations.refund_interest is
    'Interest on the refund in euros (intérêts moratoires, LPF L208), apart from the relief; null if unknown.';
comment on column public.reclamations.status_reason is
    'Why the claim has its present status. The next move that gives no reason clears status_reason; null if none.';
comment on column public.reclamations.grounds is 'Reasons that the claim gives; null if none.';
comment on column public.reclamations.assignee_id is
    'User who works on the claim. The user must be active and have access to the client when the claim is assigned. If '
    'a user loses access to the client, the claim loses this assignee. assignee_id is null if nobody is assigned.';
