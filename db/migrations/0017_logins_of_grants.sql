-- Which role it was that had the login's name when it was granted: one that is made again under that name is another,
-- and has nothing. Filled in where the function that grants is re-applied.
alter table reporting.grants add column login_oid oid;
