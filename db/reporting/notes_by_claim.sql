-- BI logins belong to the firm, and reporting.tasks shows them internal tasks, so they may count internal notes. The
-- texts stay hidden.
create or replace view reporting.notes_by_claim with (security_invoker) as
select
    n.reclamation_id,
    n.client_id,
    pg_catalog.count(*) as notes,
    pg_catalog.count(*) filter (where n.internal) as internal_notes,
    app.paris_day(pg_catalog.max(n.created_at)) as last_note_on,
    app.paris_day(pg_catalog.max(n.created_at) filter (where not n.internal)) as last_shared_note_on
from public.notes as n
group by n.reclamation_id, n.client_id;

comment on view reporting.notes_by_claim is
    'Number of notes and tasks on each claim that has any, without their texts. A claim without notes has no row.';
comment on column reporting.notes_by_claim.notes is 'Number of notes on the claim, tasks and internal notes included.';
comment on column reporting.notes_by_claim.internal_notes is
    'Number of notes on the claim that the client''s users cannot read.';
comment on column reporting.notes_by_claim.last_note_on is
    'Day of the newest note on the claim, in Europe/Paris. Joins reporting.calendar.day.';
comment on column reporting.notes_by_claim.last_shared_note_on is
    'Day of the newest note that the client''s users can read, in Europe/Paris; null if they can read none.';
grant select on reporting.notes_by_claim to taxclaims_reporting;
