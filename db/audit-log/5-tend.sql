-- Run by taxclaims_housekeeper at the end of a deploy, so that a new database has its monthly partitions before the
-- first write.
select app.tend_audit_log();
