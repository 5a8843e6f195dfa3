comment on table audit.archives is
    'Months of the audit log that npm run audit:archive wrote to files, one row per file, and when each month was '
    'removed from the log.';
comment on column audit.archives.number is 'Number of the archive file, from 1 in the order of archiving.';
comment on column audit.archives.month is 'First day of the archived month, in UTC.';
comment on column audit.archives.records is 'Number of audit records in the file, which has all records of the month.';
comment on column audit.archives.previous_digest is
    'Zeros, because the column is no longer used; in rows of earlier releases, the digest of the previous archive file.';
comment on column audit.archives.digest is
    'SHA-256 of all lines of the file but the last, which contains it, in hexadecimal digits.';
comment on column audit.archives.file is 'Name of the archive file, without its folder.';
comment on column audit.archives.archived_by is 'Database login that wrote the archive file.';
comment on column audit.archives.archived_at is 'Time at which the file was written and verified.';
comment on column audit.archives.removed_by is
    'Database login that removed the month from the audit log; null if the month was not removed.';
comment on column audit.archives.removed_at is
    'Time at which the month was removed from the audit log; null if the month was not removed.';
