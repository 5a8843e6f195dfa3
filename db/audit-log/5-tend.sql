-- Run by taxclaims_housekeeper at the end of a deploy: a new database has its months before the first write.
select app.tend_audit_log();
