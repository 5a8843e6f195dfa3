comment on table audit.applied is
    'What the repository declares, as db:migrate loaded it, one fact a row: audit.drift holds the database against it.';
comment on column audit.applied.kind is
    'What kind of fact: role, membership, table, view, policy, grant, function, trigger and so on.';
comment on column audit.applied.object is 'What it is about.';
comment on column audit.applied.definition is 'The fact itself, or the MD5 of a body.';
