comment on table audit.applied is
    'The database objects and rights that the repository declared at the last deploy, one per row. '
    'The view audit.drift compares these rows with the present database.';
comment on column audit.applied.kind is
    'Kind of the declared object or right: role, table, policy, grant, function and so on.';
comment on column audit.applied.object is 'Name of the database object that the row declares.';
comment on column audit.applied.definition is 'Definition of the database object, or the MD5 of its body.';
