comment on table audit.applied is
    'The repository''s declared state as of the last deploy, one fact a row. audit.drift compares it.';
comment on column audit.applied.kind is 'Kind of the fact: role, table, policy, grant, function and so on.';
comment on column audit.applied.object is 'Object of the fact.';
comment on column audit.applied.definition is 'The fact, or the MD5 of a body.';
