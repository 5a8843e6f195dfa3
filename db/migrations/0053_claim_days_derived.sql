-- A trigger derives the days from now on, because they follow from several columns and may be typed. The values stay as
-- they are stored, and no table is rewritten.
alter table public.reclamations
    alter column claim_deadline drop expression,
    alter column response_due_at drop expression;
