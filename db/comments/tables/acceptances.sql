comment on table audit.acceptances is
    'Audit findings and differences from the deployed schema (drift) that somebody accepted, including withdrawn '
    'acceptances. The functions audit.accept and audit.withdraw write this table. The view audit.accepted shows '
    'acceptances that are not withdrawn.';
comment on column audit.acceptances.id is 'Numbers the acceptances in the order in which they were made.';
comment on column audit.acceptances.what is
    'Name of the accepted audit finding, or kind of the object that differs from the deployed schema.';
comment on column audit.acceptances.object is 'Database object that the audit finding or the difference is about.';
comment on column audit.acceptances.as_it_stood is
    'For an audit finding, its level and detail; for a difference, what had changed and the object''s definition. If '
    'the level, detail or definition of the object changes, audit.findings or audit.drift reports the object again.';
comment on column audit.acceptances.reason is 'Reason that the caller of audit.accept gave.';
comment on column audit.acceptances.accepted_by is 'Database login that called audit.accept.';
comment on column audit.acceptances.accepted_at is 'Time at which audit.accept was called.';
comment on column audit.acceptances.withdrawn_by is
    'Database login that called audit.withdraw; null if the acceptance was not withdrawn.';
comment on column audit.acceptances.withdrawn_at is
    'Time at which audit.withdraw was called; null if the acceptance was not withdrawn.';

comment on sequence audit.acceptances_id_seq is 'Numbers the rows of audit.acceptances.';
