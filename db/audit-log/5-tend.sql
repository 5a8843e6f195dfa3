-- At the end of a deploy, taxclaims_housekeeper creates the missing monthly partitions of the audit log.
select app.tend_audit_log();
