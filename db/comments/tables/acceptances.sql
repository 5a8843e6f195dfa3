comment on table audit.acceptances is
    'Findings and drifts that this deployment accepted, past ones included. audit.accept and audit.withdraw write it; '
    'audit.accepted shows those in force.';
comment on column audit.acceptances.id is 'Order of acceptance.';
comment on column audit.acceptances.what is 'Name of the finding, or kind of the drift.';
comment on column audit.acceptances.object is 'Object of the finding or drift.';
comment on column audit.acceptances.as_it_stood is
    'Level and detail of the finding, or change and present definition of the drift. Anything else is not accepted.';
comment on column audit.acceptances.reason is 'Reason of the acceptance.';
comment on column audit.acceptances.accepted_by is 'Database login that accepted.';
comment on column audit.acceptances.accepted_at is 'Time of the acceptance.';
comment on column audit.acceptances.withdrawn_by is 'Database login that withdrew the acceptance; null while in force.';
comment on column audit.acceptances.withdrawn_at is 'Time of the withdrawal; null while in force.';

comment on sequence audit.acceptances_id_seq is 'Numbers the acceptances; tells nothing of a tenant.';
