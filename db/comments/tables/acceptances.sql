comment on table audit.acceptances is
    'Findings and drifts that this deployment means, and those that it meant once: audit.accept and audit.withdraw write '
    'it. audit.accepted shows those in force.';
comment on column audit.acceptances.id is 'In the order in which they were accepted.';
comment on column audit.acceptances.what is 'The name of the finding, or the kind of the drift.';
comment on column audit.acceptances.object is 'The object of the finding or the drift.';
comment on column audit.acceptances.as_it_stood is
    'The finding''s level and detail, or the drift''s change and present definition: anything else is not accepted.';
comment on column audit.acceptances.reason is 'Why it is meant.';
comment on column audit.acceptances.accepted_by is 'The login that accepted it.';
comment on column audit.acceptances.accepted_at is 'When it was accepted.';
comment on column audit.acceptances.withdrawn_by is 'The login that withdrew it; null while it is in force.';
comment on column audit.acceptances.withdrawn_at is 'When it was withdrawn; null while it is in force.';

comment on sequence audit.acceptances_id_seq is 'Numbers what is accepted; tells no row of a tenant.';
