comment on table audit.archives is
    'Which months of the audit log were written to a file by npm run audit:archive, one row for each file, and which were '
    'then removed from the log.';
comment on column audit.archives.number is 'The place in the chain, from 1, without a gap.';
comment on column audit.archives.month is 'The first day of the month, by UTC.';
comment on column audit.archives.records is 'How many records the file holds: all of the month, then.';
comment on column audit.archives.previous_digest is
    'The digest at the end of the file before, with which this one begins; zeros for the first.';
comment on column audit.archives.digest is
    'SHA-256 of the last record with the digest before it: of the whole chain up to here. In hexadecimal digits.';
comment on column audit.archives.file is 'The name of the file, without its folder.';
comment on column audit.archives.archived_by is 'The database login that archived it.';
comment on column audit.archives.archived_at is 'When its file was written and verified.';
comment on column audit.archives.removed_by is 'The database login that removed the month; null while it is in the log.';
comment on column audit.archives.removed_at is 'When the month was removed; null while it is in the log.';
