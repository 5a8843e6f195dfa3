-- Run by taxclaims_housekeeper at the end of a deploy, so that a database that nobody has served yet has its months.
select app.tend_audit_log();
