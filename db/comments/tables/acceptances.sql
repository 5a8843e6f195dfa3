comment on table audit.acceptances is
    'Findings and differences (drift) that this deployment accepted, including ended acceptances. audit.accept and '
    'audit.withdraw write this table, audit.accepted shows the rows in force.';
comment on column audit.acceptances.id is 'Order of the acceptances.';
comment on column audit.acceptances.what is 'Name of the finding, or kind of the drift.';
comment on column audit.acceptances.object is 'Object of the finding or drift.';
comment on column audit.acceptances.as_it_stood is
    'The accepted text: level and detail of the finding, or change and present definition of the drift. Any other '
    'text is not accepted.';
comment on column audit.acceptances.reason is 'Reason of the acceptance.';
comment on column audit.acceptances.accepted_by is 'Database login that accepted.';
comment on column audit.acceptances.accepted_at is 'Time of the acceptance.';
comment on column audit.acceptances.withdrawn_by is 'Database login that withdrew the acceptance; null while in force.';
comment on column audit.acceptances.withdrawn_at is 'Time of the withdrawal; null while in force.';

comment on sequence audit.acceptances_id_seq is 'Numbers the acceptances. The number reveals nothing about a tenant.';
