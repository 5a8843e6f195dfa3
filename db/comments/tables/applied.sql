comment on table audit.applied is
    'The declared state of the repository at the last deploy, one fact per row. audit.drift compares it with the '
    'database.';
comment on column audit.applied.kind is 'Kind of the fact: role, table, policy, grant, function and so on.';
comment on column audit.applied.object is 'Object of the fact.';
comment on column audit.applied.definition is 'The definition of the object, or the MD5 of its body.';
