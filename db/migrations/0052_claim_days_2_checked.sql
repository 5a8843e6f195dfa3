-- In a transaction of its own: the rows are read while everybody reads and writes.
alter table public.reclamations
    validate constraint reclamations_deadline_basis_known,
    validate constraint reclamations_instance_known,
    validate constraint reclamations_refund_interest_range,
    validate constraint reclamations_status_reason_bounded;
