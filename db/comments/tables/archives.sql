comment on table audit.archives is
    'Months of the audit log that npm run audit:archive wrote to files, one row a file, with their removal from the '
    'log.';
comment on column audit.archives.number is 'Place in the chain of archives, from 1.';
comment on column audit.archives.month is 'First day of the month, in UTC.';
comment on column audit.archives.records is 'Number of records in the file: all records of the month.';
comment on column audit.archives.previous_digest is 'digest of the archive before; zeros for the first.';
comment on column audit.archives.digest is 'SHA-256 of the whole chain up to this file, in hexadecimal digits.';
comment on column audit.archives.file is 'Name of the file without folder.';
comment on column audit.archives.archived_by is 'Database login that wrote the archive.';
comment on column audit.archives.archived_at is 'Time at which the file was written and verified.';
comment on column audit.archives.removed_by is 'Database login that removed the month from the log; null while there.';
comment on column audit.archives.removed_at is 'Time of the removal; null while in the log.';
