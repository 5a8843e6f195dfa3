-- Run by taxclaims_housekeeper on each deploy.
select audit_log.close_month(t.relid) from pg_catalog.pg_partition_tree('audit_log.months') as t;
