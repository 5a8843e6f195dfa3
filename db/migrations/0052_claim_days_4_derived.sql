-- A trigger derives the days from now on, because they follow from several columns and may be typed. The values stay as
-- they are stored, and no table is rewritten.
alter table public.reclamations
    alter column claim_deadline drop expression,
    alter column response_due_at drop expression;

-- Of the claims that wait for an answer, those sent so late in the evening that the day in Europe/Paris is another one than
-- in UTC: their day was wrong. The others keep the hour of their day.
alter table public.reclamations no force row level security;
-- The triggers of the release before run as other roles, whom the next line would refuse; none is needed here.
alter table public.reclamations disable trigger user;
set local row_security = off;

update public.reclamations as r
set response_due_at = (d.day + time '23:59:59') at time zone 'Europe/Paris'
from (
    select c.id, (((c.submitted_at at time zone 'Europe/Paris')::date) + interval '6 months')::date as day
    from public.reclamations as c
    where c.status in ('SUBMITTED', 'ACKNOWLEDGED', 'REGULARISATION_REQUESTED') and c.submitted_at is not null
) as d
where r.id = d.id and d.day <> (r.response_due_at at time zone 'Europe/Paris')::date;

set local row_security = on;
alter table public.reclamations enable trigger user;
alter table public.reclamations force row level security;
