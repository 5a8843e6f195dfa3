comment on table public.reclamations is
    'Claims addressed to the tax administration against a tax bill: one claim is about one commune, one tax and one '
    'year. The allowed moves of its status are in reclamation_transitions, those that were made in '
    'reclamation_history.';
comment on column public.reclamations.client_id is 'Whose claim it is; it never changes.';
comment on column public.reclamations.site_id is 'The taxed premises; of the same client, which the foreign key holds.';
comment on column public.reclamations.claim_type is
    'The tax: TF (taxe foncière, on property) or CFE (cotisation foncière des entreprises).';
comment on column public.reclamations.amount is 'The relief that is asked for, in euros.';
comment on column public.reclamations.status is
    'Where the claim stands, DRAFT at first; it moves only as reclamation_transitions allows.';
comment on column public.reclamations.tax_year is
    'The year of the tax, not that of the claim; null where it is not known yet.';
comment on column public.reclamations.commune_code is
    'The INSEE code of the commune that taxes: five digits, with 2A or 2B for Corsica; null where it is not known '
    'yet.';
comment on column public.reclamations.notice_reference is
    'The reference printed on the tax notice; null where it is not known yet.';
comment on column public.reclamations.collection_date is
    'The mise en recouvrement, the day on which the tax became collectable; null where it is not known yet.';
comment on column public.reclamations.claim_deadline is
    'The last day to claim: 31 December of the year after collection_date (LPF R*196-2). Worked out; null without '
    'that date.';
comment on column public.reclamations.submitted_at is 'When the claim was first sent to the administration; null before.';
comment on column public.reclamations.response_due_at is
    'Six months after submitted_at, counted in UTC, when the silence of the administration opens the way to court '
    '(LPF R*198-10). Worked out; null before the claim is sent.';
comment on column public.reclamations.decision_date is
    'The day of the decision of the administration; null while there is none.';
comment on column public.reclamations.court_deadline is
    'The last day to go to the administrative court, two months after an express rejection (LPF R*199-1). Entered by '
    'hand; null where there is none.';
comment on column public.reclamations.granted_amount is
    'The relief granted (dégrèvement) in euros, at most the amount; null without a decision, 0 where nothing was '
    'granted.';
comment on column public.reclamations.refund_amount is
    'What was paid back in euros, with interest where it was due (LPF L208), and so perhaps more than was granted; '
    'null before a refund.';
comment on column public.reclamations.grounds is 'The reasons of the claim in words; null where none were written.';
comment on column public.reclamations.assignee_id is
    'Who works on the claim: a user who was active when it was assigned, and who has the client; whoever loses the '
    'client loses the claim. Null for nobody.';
