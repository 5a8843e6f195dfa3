-- The moves of a claim's life, what each requires and when it is possible. The history keeps the reason of a move.
alter table public.reclamation_history
    add column reason text,
    add column is_correction boolean not null default false;

alter table public.reclamation_transitions
    add column condition text,
    add constraint reclamation_transitions_condition_known check (
        condition in ('ANSWER_OVERDUE', 'AFTER_PARTIAL_ADMISSION', 'AFTER_JUDGMENT')
    );

alter table public.reclamation_transitions no force row level security;

delete from public.reclamation_transitions;

insert into public.reclamation_transitions (from_status, to_status, role, requires, condition)
select
    origin.status,
    target.status,
    mover.role,
    case when target.status = any ('{ACCEPTED,PARTIALLY_ACCEPTED,REFUNDED}') then '{granted_amount}'::text[] else '{}' end,
    move.condition
from (
    values
        ('{DRAFT}'::text[], '{READY_FOR_REVIEW}'::text[], true, null),
        ('{READY_FOR_REVIEW}', '{DRAFT,APPROVED}', false, null),
        ('{APPROVED}', '{SUBMITTED}', true, null),
        ('{SUBMITTED}', '{ACKNOWLEDGED}', true, null),
        ('{SUBMITTED,ACKNOWLEDGED}', '{REGULARISATION_REQUESTED,ACCEPTED,PARTIALLY_ACCEPTED,REJECTED}', true, null),
        ('{REGULARISATION_REQUESTED}', '{SUBMITTED,ACKNOWLEDGED,REJECTED}', true, null),
        ('{SUBMITTED,ACKNOWLEDGED}', '{LITIGATION}', false, 'ANSWER_OVERDUE'),
        ('{REJECTED,PARTIALLY_ACCEPTED}', '{LITIGATION}', false, null),
        ('{REFUNDED}', '{LITIGATION}', false, 'AFTER_PARTIAL_ADMISSION'),
        ('{ACCEPTED}', '{LITIGATION}', false, 'AFTER_JUDGMENT'),
        ('{LITIGATION}', '{ACCEPTED,PARTIALLY_ACCEPTED,REJECTED,CLOSED}', true, null),
        ('{REJECTED}', '{ACCEPTED,PARTIALLY_ACCEPTED}', false, null),
        ('{ACCEPTED,PARTIALLY_ACCEPTED}', '{REFUNDED,CLOSED}', true, null),
        ('{DRAFT,READY_FOR_REVIEW,APPROVED,SUBMITTED,ACKNOWLEDGED,REGULARISATION_REQUESTED,LITIGATION}', '{WITHDRAWN}', false, null),
        ('{REFUNDED,REJECTED,WITHDRAWN}', '{CLOSED}', false, null)
) as move (origins, targets, specialist, condition)
cross join lateral pg_catalog.unnest(move.origins) as origin (status)
cross join lateral pg_catalog.unnest(move.targets) as target (status)
cross join (values ('ADMIN'), ('ACCOUNT_MANAGER'), ('TAX_SPECIALIST')) as mover (role)
where move.specialist or mover.role <> 'TAX_SPECIALIST';

alter table public.reclamation_transitions force row level security;
