comment on table audit.archives is
    'Months of the audit log that npm run audit:archive wrote to files, one row per file, and when each month was '
    'removed from the log.';
comment on column audit.archives.number is 'Place in the chain of archives, from 1.';
comment on column audit.archives.month is 'First day of the month, in UTC.';
comment on column audit.archives.records is 'Number of records in the file: all records of the month.';
comment on column audit.archives.previous_digest is 'digest of the previous archive; zeros for the first archive.';
comment on column audit.archives.digest is 'SHA-256 of all archives up to this file, in hexadecimal digits.';
comment on column audit.archives.file is 'Name of the file without folder.';
comment on column audit.archives.archived_by is 'Database login that wrote the archive.';
comment on column audit.archives.archived_at is 'Time at which the file was written and verified.';
comment on column audit.archives.removed_by is
    'Database login that removed the month from the log; null while the month is in the log.';
comment on column audit.archives.removed_at is 'Time of the removal; null while the month is in the log.';
