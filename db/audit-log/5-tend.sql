-- At the end of a deploy, taxclaims_housekeeper creates the missing monthly partitions, so that a new database has them
-- before the first write.
select app.tend_audit_log();
